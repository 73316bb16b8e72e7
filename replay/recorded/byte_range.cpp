#include "replay/recorded/byte_range.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace tapedeck::replay {
namespace {

/// Parses a number. One that does not fit the type counts as larger than every body.
std::optional<std::uint64_t> number_of(std::string_view digits) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), base::is_digit)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::optional<ByteRange> range_in(std::string_view header, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  if (!base::equal_no_case(header.substr(0, unit.size()), unit)) return std::nullopt;
  const std::string_view range = header.substr(unit.size());
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos || size == 0) return std::nullopt;
  const std::string_view from = range.substr(0, dash), to = range.substr(dash + 1);
  const auto first = number_of(from), last = number_of(to);
  if (from.empty()) {
    if (!last || *last == 0) return std::nullopt;
    return ByteRange{size - std::min(*last, size), size - 1};
  }
  if (!first || *first >= size || (!to.empty() && (!last || *last < *first))) return std::nullopt;
  return ByteRange{*first, std::min(last.value_or(size - 1), size - 1)};
}

}  // namespace tapedeck::replay
