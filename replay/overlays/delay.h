#pragma once
// Delays of responses, and random choices (docs/mocking.md).

#include <chrono>
#include <cstdint>
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

/// The purpose of a random choice. Choices depend only on it, so that a run can be repeated (docs/mocking.md). Lengths
/// precede the texts, so that different ones are never equal.
struct DrawKey {
  std::uint64_t seed = 1;
  std::string_view overlay;  ///< the name of the overlay
  std::string_view owner;    ///< the owner of the counters
  std::string_view key;      ///< the key of the request
  std::uint64_t count = 0;   ///< number of earlier choices with this overlay, owner, and key
};

/// The random numbers for one response.
class Draw {
 public:
  explicit Draw(const DrawKey& key);
  [[nodiscard]] bool happens(double chance) const { return chance_ < chance; }
  [[nodiscard]] std::chrono::microseconds delay(const LogNormalDelay& delay) const;

 private:
  double chance_;  ///< uniform in [0, 1)
  double normal_;  ///< standard normal
};

}  // namespace tapedeck::replay
