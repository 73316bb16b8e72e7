#pragma once

#include <cstddef>
#include <string_view>

#include "base/descriptor.h"

namespace tapedeck::cassettes {

/// The first bytes of a file as they were. Their memory is there as a whole before they are read, not page by page as each
/// is touched first (docs/decisions.md, "The first bytes of a cassette get their memory at once").
class FirstBytes {
 public:
  /// At most `most`: fewer where the file ends, or cannot be read. Throws std::bad_alloc.
  FirstBytes(const base::Descriptor& file, std::size_t most);
  ~FirstBytes();
  FirstBytes(FirstBytes&& other) noexcept;
  FirstBytes& operator=(FirstBytes&&) = delete;

  [[nodiscard]] std::string_view view() const { return {memory_, size_}; }

 private:
  char* memory_ = nullptr;
  std::size_t room_, size_ = 0;
};

}  // namespace tapedeck::cassettes
