#pragma once
// A range that a request asks for (RFC 9110 §14), to be cut from a recorded 200 (semantics §4).

#include <cstdint>
#include <optional>
#include <string_view>

namespace tapedeck::replay {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< its last byte, not the one behind it
};

/// The range of `bytes=a-b`, `bytes=a-` or `bytes=-n` in `size` bytes. Nothing for several ranges, other units, what is
/// no range, and one that cannot be satisfied: the whole answer is right for each of them (RFC 9110 §14.2).
[[nodiscard]] std::optional<ByteRange> range_in(std::string_view header, std::uint64_t size);

}  // namespace tapedeck::replay
