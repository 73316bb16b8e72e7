#pragma once

#include <optional>
#include <string_view>

namespace tapedeck::replay {

/// What a sequence answers once its last answer was given.
enum class AtEnd {
  stick,  ///< the last answer again
  loop,   ///< of a read: its answers since the last write made, from the first one again
  miss,   ///< a miss that says so
};

[[nodiscard]] constexpr std::string_view to_string(AtEnd at_end) {
  return at_end == AtEnd::stick ? "stick" : at_end == AtEnd::loop ? "loop" : "miss";
}
/// The inverse of to_string; nothing for another word.
[[nodiscard]] constexpr std::optional<AtEnd> at_end_from(std::string_view word) {
  for (const AtEnd one : {AtEnd::stick, AtEnd::loop, AtEnd::miss}) {
    if (to_string(one) == word) return one;
  }
  return std::nullopt;
}

}  // namespace tapedeck::replay
