#pragma once
// How long an answer is held back (toolkit §2).

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace tapedeck::replay {

/// Drawn anew for each answer: half of them take no longer than `median`, all but one in a hundred no longer than
/// `p99`.
struct LogNormalDelay {
  std::chrono::microseconds median{}, p99{};
  bool operator==(const LogNormalDelay&) const = default;
};
/// As long as the recorded answer took, to its first byte and to its end.
struct RecordedDelay {
  bool operator==(const RecordedDelay&) const = default;
};
using Delay = std::variant<std::chrono::microseconds, LogNormalDelay, RecordedDelay>;

/// "800ms", "1.5s" or "2m", at most an hour.
[[nodiscard]] std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
/// Nothing unless 0 < median <= p99.
[[nodiscard]] std::optional<Delay> log_normal(std::string_view median, std::string_view p99);
/// A duration, "recorded", or "median=200ms,p99=2s": as `--delay` has it.
[[nodiscard]] std::optional<Delay> parse_delay(std::string_view text);

}  // namespace tapedeck::replay
