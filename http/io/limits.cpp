#include "http/io/limits.h"

#include <array>
#include <limits>
#include <string_view>

namespace tapedeck::http {
namespace {

struct Range {
  std::string_view option;
  std::size_t value, least, most;
};

struct LimitPair {
  std::string_view smaller;
  std::size_t value;
  std::string_view larger;
  std::size_t bound;
};

std::string quantity(std::string_view option, std::size_t value) {
  return std::string(option) + " " + std::to_string(value);
}

}  // namespace

std::optional<std::string> fault_in(const Limits& limits) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  const std::array ranges = {
      Range{"--max-request-body", limits.body_bytes, 0, any},
      Range{"--max-response-body", limits.max_body, 0, longest_kept_body},
      Range{"--max-message", limits.max_message, 1, 128u << 20},
      Range{"--buffer", limits.buffer_bytes, 1u << 20, any / 4},
      Range{"--connections", limits.connections, 1, 1'000'000},
  };
  for (const Range& range : ranges) {
    if (range.value >= range.least && range.value <= range.most) continue;
    const bool low = range.value < range.least;
    return quantity(range.option, range.value) + (low ? ": the minimum is " : ": the maximum is ") +
           std::to_string(low ? range.least : range.most);
  }
  const std::array pairs = {
      LimitPair{"--max-request-body", limits.body_bytes, "--buffer", limits.buffer_bytes},
      LimitPair{"--max-response-body", limits.max_body, "--buffer", limits.buffer_bytes},
  };
  for (const LimitPair& pair : pairs) {
    if (pair.value <= pair.bound) continue;
    return quantity(pair.smaller, pair.value) + " is more than " + quantity(pair.larger, pair.bound);
  }
  return std::nullopt;
}

}  // namespace tapedeck::http
