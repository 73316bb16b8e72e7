#pragma once

#include <optional>
#include <string_view>

namespace tapedeck::replay {

/// The behavior of a sequence after its last response was used.
enum class AtEnd {
  stick,  ///< repeats the last response
  loop,   ///< for a read: restarts with the first response after the last write
  miss,   ///< reports a miss with this reason
};

[[nodiscard]] constexpr std::string_view to_string(AtEnd at_end) {
  return at_end == AtEnd::stick ? "stick" : at_end == AtEnd::loop ? "loop" : "miss";
}
/// Parses a result of to_string. Returns nothing for other texts.
[[nodiscard]] constexpr std::optional<AtEnd> at_end_from(std::string_view word) {
  for (const AtEnd one : {AtEnd::stick, AtEnd::loop, AtEnd::miss}) {
    if (to_string(one) == word) return one;
  }
  return std::nullopt;
}

}  // namespace tapedeck::replay
