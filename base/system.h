#pragma once
// The calls that differ between systems. CMake chooses the files that implement them: linux.cpp on Linux; on other
// systems posix.cpp, together with darwin.cpp on macOS or with portable.cpp elsewhere.
// Unless a comment says otherwise, failure returns an empty result with errno set by the call, and all functions are
// thread-safe.

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

extern char** environ;  // POSIX leaves this declaration to programs

namespace tapedeck::base {

// Processes

/// Tells own_program() the first argument of main(). Call it before any other thread starts.
void set_started_as(const char* name);
/// Returns the path of this program's file. It may be relative to the folder at the start if the system does not tell
/// the path: Linux without /proc, and the portable build.
[[nodiscard]] const char* own_program();
/// Makes this process, instead of process 1, the parent of descendants whose own parents end. Does nothing on systems
/// other than Linux.
void adopt_orphans();
/// Reaps a child that has ended and returns its wait status. Ends the processes that it left running, with SIGTERM and
/// two seconds later with SIGKILL: on Linux all children of this process, which requires adopt_orphans(); on other
/// systems its process group if it leads one, and otherwise none. Takes signals of `waited`, which must be blocked.
[[nodiscard]] int reap_with_leftovers(pid_t child, bool leads_group, const sigset_t& waited);
/// Sets the name of the calling process that `ps` shows: at most 15 bytes. Does nothing on systems other than Linux.
void set_process_name(const char* name);
/// Prevents debugging of this process and, on Linux, core dumps. Programs that it starts are not affected. Does nothing
/// in the portable build.
void keep_memory_private();

/// Blocks signals in this thread, and in those that it starts later, so that wait_for_signal() can take them.
void block_signals(const sigset_t& signals);
struct Signal {
  int number = 0;
  bool from_terminal = false;  ///< a terminal has also sent it to all other processes in the group of this one
};
/// Waits for one of these signals, which block_signals() has blocked. Returns number 0 if the wait was interrupted.
/// Only Linux knows where a signal comes from; on other systems, SIGINT counts as sent by the terminal if this process
/// is in its foreground.
[[nodiscard]] Signal wait_for_signal(const sigset_t& signals);

// Descriptors and files. Programs that this process starts inherit none of the descriptors returned here.

/// Creates a pipe. Returns false on failure.
[[nodiscard]] bool make_pipe(int (&ends)[2]);
/// Returns the numbers of all open descriptors of this process.
[[nodiscard]] std::set<int> open_descriptors();
/// Closes all descriptors above standard error except `kept`.
void close_all_except(int kept);
/// Opens a folder for open_beneath(). Returns -1 on failure.
[[nodiscard]] int open_folder(const std::string& path);
/// Opens a file for reading if its path, including all links in it, stays below `folder`. Returns -1 on failure, with
/// EXDEV for a path that leaves the folder.
[[nodiscard]] int open_beneath(int folder, const std::string& path);
/// Renames a file unless `to` exists (EEXIST). Returns false on failure, which includes systems and file systems
/// without this function (EINVAL, ENOSYS).
[[nodiscard]] bool rename_without_replacing(const std::string& from, const std::string& to);
/// Waits until a file or folder is on the disk and not only in the disk's own cache. Returns false on failure.
[[nodiscard]] bool sync_to_disk(int file);
/// Starts writing a file to the disk without waiting, so that a later sync has less to do. Does nothing on systems
/// other than Linux.
void start_sync(int file);

/// When a file was changed, in nanoseconds since 1970.
struct FileTimes {
  FileTimes(const timespec& node, const timespec& content)
      : node_ns(nanoseconds(node)), content_ns(nanoseconds(content)) {}
  std::int64_t node_ns = 0;     ///< content, mode, owner, or number of links
  std::int64_t content_ns = 0;  ///< content

 private:
  static std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }
};
[[nodiscard]] FileTimes times_of(const struct stat& status);

// Sockets

enum class Calls { wait, never_wait };
/// Creates a stream socket. Returns -1 on failure.
[[nodiscard]] int stream_socket(int family, Calls calls);
/// Accepts a connection, whose calls never wait. Returns -1 on failure.
[[nodiscard]] int accept_connection(int listening);
/// Flag of send() and sendmsg() that prevents SIGPIPE if the connection is closed, or 0 on macOS, which has an option
/// of sockets instead. Sockets of these functions have that option.
extern const int without_sigpipe;
/// Returns how many sent bytes the peer of a TCP socket has not acknowledged, and 0 in the portable build.
[[nodiscard]] std::size_t unacknowledged_bytes(int socket);

}  // namespace tapedeck::base
