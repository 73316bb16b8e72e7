// The calls of base/system.h that differ on macOS. posix.cpp has the others.

#include <fcntl.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/posix.h"
#include "base/system.h"

extern "C" int ptrace(int request, pid_t process, char* address, int data);  // not all compilers have sys/ptrace.h

namespace tapedeck::base {

void set_started_as(const char* /*name*/) {}

const char* own_program() {
  static const std::string path = [] {
    std::uint32_t size = PATH_MAX;
    std::string found(size, '\0');
    if (_NSGetExecutablePath(found.data(), &size) != 0) found.assign(size, '\0');
    return _NSGetExecutablePath(found.data(), &size) == 0 ? std::string(found.c_str()) : std::string();
  }();
  return path.c_str();
}

void keep_memory_private() {
  constexpr int deny_attach = 31;  // PT_DENY_ATTACH
  ptrace(deny_attach, 0, nullptr, 0);
}

bool rename_without_replacing(const std::string& from, const std::string& to) {
  if (renamex_np(from.c_str(), to.c_str(), RENAME_EXCL) == 0) return true;
  if (errno == ENOTSUP) errno = EINVAL;
  return false;
}

bool sync_to_disk(int file) {
  // Network file systems do not support the first call.
  return fcntl(file, F_FULLFSYNC) == 0 || fsync(file) == 0;
}

FileTimes times_of(const struct stat& status) { return {status.st_ctimespec, status.st_mtimespec}; }

void prepare_socket(int socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
}

const int without_sigpipe = 0;

std::size_t unacknowledged_bytes(int socket) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &bytes, &size) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace tapedeck::base
