#pragma once
// Wraps every system call that Linux has and other POSIX systems lack. A port to another system replaces linux.cpp.
// Unless a comment says otherwise, failure returns an empty result with errno set by the call.

#include <sys/types.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace tapedeck::base {

// Processes

/// Returns the path of this program's file, which is /proc/self/exe if that can be used. Without /proc, returns the
/// path that the kernel received at the start (AT_EXECFN), which may be relative to the folder at that time.
[[nodiscard]] const char* own_program();
/// Returns the running children of this process, by searching all processes.
[[nodiscard]] std::vector<pid_t> own_children();
/// Makes this process, instead of process 1, the parent of descendants whose own parents end.
void adopt_orphans();
/// Sets the name of the calling process that `ps` shows: at most 15 bytes.
void set_process_name(const char* name);
/// Prevents core dumps and debugging of this process. Programs that it starts are not affected.
void keep_memory_private();

// Descriptors and files

/// Returns the numbers of all open descriptors of this process.
[[nodiscard]] std::set<int> open_descriptors();
/// Closes all descriptors above standard error except `kept`.
void close_all_except(int kept);
/// Opens a file for reading if its path, including all links in it, stays below `folder`. Returns -1 on failure.
[[nodiscard]] int open_beneath(int folder, const std::string& path);
/// Renames a file unless `to` exists (EEXIST). Returns false on failure, which includes file systems without this
/// function (EINVAL).
[[nodiscard]] bool rename_without_replacing(const std::string& from, const std::string& to);
/// Returns how many sent bytes the peer of a TCP socket has not acknowledged.
[[nodiscard]] std::size_t unacknowledged_bytes(int socket);

// Memory

/// Throws std::bad_alloc unless the process may map `bytes` more bytes (`ulimit -v`).
void require_address_space(std::size_t bytes);

}  // namespace tapedeck::base
