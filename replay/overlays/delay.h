#pragma once
// Parses and draws delays of responses (docs/mocking.md).

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace tapedeck::replay {

/// A random delay for each response: half of the delays are up to `median`, and 99 in 100 are up to `p99`.
struct LogNormalDelay {
  std::chrono::microseconds median{}, p99{};
  bool operator==(const LogNormalDelay&) const = default;
};
/// The duration of the recorded response, to its first byte and to its end.
struct RecordedDelay {
  bool operator==(const RecordedDelay&) const = default;
};
using Delay = std::variant<std::chrono::microseconds, LogNormalDelay, RecordedDelay>;

/// Parses a duration of up to an hour: "800ms", "1.5s", or "2m".
[[nodiscard]] std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
/// Returns nothing unless 0 < median <= p99.
[[nodiscard]] std::optional<Delay> log_normal(std::string_view median, std::string_view p99);
/// Parses a value of `--delay`: a duration, "recorded", or "median=200ms,p99=2s".
[[nodiscard]] std::optional<Delay> parse_delay(std::string_view text);

}  // namespace tapedeck::replay
