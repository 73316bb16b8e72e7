#pragma once
// Parses the range of a request (RFC 9110 §14), which is cut out of a recorded 200 (docs/replay.md, "Details of HTTP").

#include <cstdint>
#include <optional>
#include <string_view>

namespace tapedeck::replay {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< the last byte, inclusive
};

/// Returns the range of `bytes=a-b`, `bytes=a-`, or `bytes=-n` in `size` bytes. Returns nothing for several ranges,
/// other units, invalid ranges, and a range that cannot be satisfied, because the whole response is correct for all of
/// these (RFC 9110 §14.2).
[[nodiscard]] std::optional<ByteRange> range_in(std::string_view header, std::uint64_t size);

}  // namespace tapedeck::replay
