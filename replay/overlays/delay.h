#pragma once
// Delays of responses (docs/mocking.md).

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace tapedeck::replay {

/// Drawn for each response: half of them take up to `median`, all but one in a hundred up to `p99`.
struct LogNormalDelay {
  std::chrono::microseconds median{}, p99{};
  bool operator==(const LogNormalDelay&) const = default;
};
/// As long as the recorded response took, to its first byte and to its end.
struct RecordedDelay {
  bool operator==(const RecordedDelay&) const = default;
};
using Delay = std::variant<std::chrono::microseconds, LogNormalDelay, RecordedDelay>;

/// Parses "800ms", "1.5s", or "2m", up to an hour.
[[nodiscard]] std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
/// Returns nothing unless 0 < median <= p99.
[[nodiscard]] std::optional<Delay> log_normal(std::string_view median, std::string_view p99);
/// Parses a value of `--delay`: a duration, "recorded", or "median=200ms,p99=2s".
[[nodiscard]] std::optional<Delay> parse_delay(std::string_view text);

}  // namespace tapedeck::replay
