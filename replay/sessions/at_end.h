#pragma once

#include <optional>
#include <string_view>

namespace tapedeck::replay {

/// The response of a sequence after its last one was used.
enum class AtEnd {
  stick,  ///< repeats the last response
  loop,   ///< for a read: restarts with the first response after the last write that was made
  miss,   ///< returns a miss that says so
};

[[nodiscard]] constexpr std::string_view to_string(AtEnd at_end) {
  return at_end == AtEnd::stick ? "stick" : at_end == AtEnd::loop ? "loop" : "miss";
}
/// Parses the text that to_string returns. Returns nothing for other texts.
[[nodiscard]] constexpr std::optional<AtEnd> at_end_from(std::string_view word) {
  for (const AtEnd one : {AtEnd::stick, AtEnd::loop, AtEnd::miss}) {
    if (to_string(one) == word) return one;
  }
  return std::nullopt;
}

}  // namespace tapedeck::replay
