#pragma once
// Reads and writes durations, in the one form that options, overlay files, and rules accept.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::base {

/// A description of the texts that are durations, for error messages.
inline constexpr std::string_view duration_syntax = "a time such as 800ms, 5s, 2h, or 3d";

/// Returns the duration of "800ms", "1.5m", "2h", or "3d", with the units ms, s, m, h, and d. Returns nothing for any
/// other text, such as a number without a unit, and for more than 1,000 days.
[[nodiscard]] std::optional<std::chrono::microseconds> duration_of(std::string_view text);

/// Returns the shortest such text with a whole number, rounded to milliseconds.
[[nodiscard]] std::string duration_text(std::chrono::microseconds duration);

}  // namespace tapedeck::base
