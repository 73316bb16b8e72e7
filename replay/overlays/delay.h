#pragma once
// Delays of responses (docs/mocking.md).

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace tapedeck::replay {

/// The duration of the recorded response, to its first byte and to its end.
struct RecordedDelay {
  bool operator==(const RecordedDelay&) const = default;
};
using Delay = std::variant<std::chrono::microseconds, RecordedDelay>;

/// Parses a duration of up to an hour: "800ms", "1.5s", or "2m".
[[nodiscard]] std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
/// Parses a value of `--delay`: a duration or "recorded".
[[nodiscard]] std::optional<Delay> parse_delay(std::string_view text);

}  // namespace tapedeck::replay
