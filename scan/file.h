#pragma once
// Reading a file by position.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "base/descriptor.h"

namespace tapedeck::scan {

/// A regular file, open for reading. Movable; closes itself.
class File {
 public:
  enum class Links { follow, refuse };
  /// Nothing when it is missing, unreadable or not a regular file (a pipe is not waited for).
  [[nodiscard]] static std::optional<File> open(const std::filesystem::path& path, Links links);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Fills `into` as far as the file goes, from `offset` on; how many bytes that was. An error counts as the end.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> into) const;

 private:
  File(base::Descriptor descriptor, std::uint64_t size) : descriptor_(std::move(descriptor)), size_(size) {}
  base::Descriptor descriptor_;
  std::uint64_t size_;
};

}  // namespace tapedeck::scan
