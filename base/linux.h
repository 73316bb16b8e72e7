#pragma once
// Every system call that Linux has and other POSIX systems lack, in one place: a port to another system replaces
// linux.cpp. Where no comment says otherwise, failure returns an empty result and leaves errno as the call set it.

#include <sys/types.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace tapedeck::base {

// Processes

/// Returns the path of this program's file, which is /proc/self/exe if that can be used. Without /proc, returns what
/// the kernel was told at the start (AT_EXECFN), relative to the folder at that time.
[[nodiscard]] const char* own_program();
/// Returns the running children of this process, by searching all processes.
[[nodiscard]] std::vector<pid_t> own_children();
/// Makes processes whose parents end children of this process, instead of children of process 1.
void adopt_orphans();
/// The kernel kills the calling process when its parent ends. The parent may have ended before the call.
void end_with_parent();
/// Sets the name of the calling process that `ps` shows: at most 15 bytes.
void set_process_name(const char* name);
/// Prevents core dumps and debugging of this process. Programs that it starts are not affected.
void keep_memory_private();

// Descriptors and files

/// Returns the numbers of all open descriptors of this process.
[[nodiscard]] std::set<int> open_descriptors();
/// Closes all descriptors above standard error except `kept`.
void close_all_except(int kept);
/// Opens a file for reading whose path, with all links in it, stays below `folder`. Returns -1 on failure.
[[nodiscard]] int open_beneath(int folder, const std::string& path);
/// Renames a file unless `to` exists (EEXIST). Returns false on failure, also if the file system cannot do so (EINVAL).
[[nodiscard]] bool rename_without_replacing(const std::string& from, const std::string& to);
/// Returns how many sent bytes the peer of a TCP socket has not acknowledged.
[[nodiscard]] std::size_t unacknowledged_bytes(int socket);

// Memory

/// Asks the kernel to back a new block of 4 MiB or more with huge pages: the first write to 60 MiB then causes 30 page
/// faults instead of 15,000. Does nothing for smaller blocks, a null pointer, and where huge pages are off.
void use_huge_pages(const void* block, std::size_t size);
/// Throws std::bad_alloc unless the process may map `bytes` more (`ulimit -v`).
void require_address_space(std::size_t bytes);
/// Returns free memory to the kernel.
void return_free_memory();

}  // namespace tapedeck::base
