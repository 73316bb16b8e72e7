#include "base/file_stamp.h"

#include "base/system.h"

namespace tapedeck::base {

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  const FileTimes times = times_of(found);
  return FileStamp{{found.st_dev, found.st_ino}, found.st_size, times.node_ns, times.content_ns};
}

}  // namespace tapedeck::base
