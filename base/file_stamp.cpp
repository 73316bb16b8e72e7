#include "base/file_stamp.h"

#include <sys/stat.h>

namespace tapedeck::base {
namespace {

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return FileStamp{{found.st_dev, found.st_ino}, found.st_size, nanoseconds(found.st_ctim), nanoseconds(found.st_mtim)};
}

}  // namespace tapedeck::base
