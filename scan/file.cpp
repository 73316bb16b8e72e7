#include "scan/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tapedeck::scan {

std::optional<File> File::open(const std::filesystem::path& path, Links links) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refuse ? O_NOFOLLOW : 0);
  const int descriptor = ::open(path.c_str(), flags);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return std::nullopt;
  }
  return File(descriptor, static_cast<std::uint64_t>(status.st_size));
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

std::size_t File::read(std::uint64_t offset, std::span<char> into) const {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t bytes = ::pread(descriptor_, into.data() + got, into.size() - got, static_cast<off_t>(offset + got));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;
    got += static_cast<std::size_t>(bytes);
  }
  return got;
}

}  // namespace tapedeck::scan
