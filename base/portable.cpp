// The calls of base/system.h that posix.cpp lacks, without any function of a certain system (TAPEDECK_PORTABLE).

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/posix.h"
#include "base/system.h"
#include "base/text.h"

namespace tapedeck::base {

namespace {

std::string& program() {
  static std::string path;
  return path;
}

}  // namespace

void set_started_as(const char* name) {
  program() = name;
  const char* const folders = std::getenv("PATH");
  std::string_view left = folders == nullptr ? "" : folders;
  while (program().find('/') == std::string::npos && !left.empty()) {
    const std::string found = std::string(take_until(left, ':')) + "/" + name;
    if (access(found.c_str(), X_OK) == 0) program() = found;
  }
}

const char* own_program() { return program().c_str(); }

void keep_memory_private() {}

bool rename_without_replacing(const std::string& /*from*/, const std::string& /*to*/) {
  errno = ENOSYS;
  return false;
}

bool sync_to_disk(int file) { return fsync(file) == 0; }

FileTimes times_of(const struct stat& status) { return {status.st_ctim, status.st_mtim}; }

void prepare_socket(int /*socket*/) {}

const int without_sigpipe = MSG_NOSIGNAL;

std::size_t unacknowledged_bytes(int /*socket*/) { return 0; }

}  // namespace tapedeck::base
