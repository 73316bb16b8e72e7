#include "scan/file.h"

#include <fcntl.h>

#include <utility>

namespace tapedeck::scan {

std::optional<File> File::open(const std::filesystem::path& path, Links links) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refuse ? O_NOFOLLOW : 0);
  base::Descriptor descriptor(::open(path.c_str(), flags));
  if (!descriptor.is_regular_file()) return std::nullopt;
  const std::uint64_t size = descriptor.size();
  return File(std::move(descriptor), size);
}

std::size_t File::read(std::uint64_t offset, std::span<char> into) const {
  return base::read_at(descriptor_.number(), offset, into);
}

}  // namespace tapedeck::scan
