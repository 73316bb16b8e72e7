#pragma once
// Selects interactions of a cassette with the filters of `ls` and of other commands (docs/cassettes.md).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// The outcome of a recorded call.
enum class Outcome {
  ok,        ///< complete, and a success by its envelope, or without an envelope by a status below 400
  error,     ///< complete, but not a success
  broken,    ///< cut, framed wrongly, or late
  withheld,  ///< cannot be scrubbed with certainty
};
[[nodiscard]] Outcome outcome_of(const cassettes::ListedInteraction& line);
[[nodiscard]] std::optional<Outcome> outcome_named(std::string_view word);

/// Parses "404", "4xx", or a status with the error code of the envelope, as in `ls`: "200/105", or "/105" for any
/// status.
struct StatusFilter {
  int low = 0, high = 999;  ///< a range of HTTP statuses, inclusive
  std::optional<int> code;  ///< error code of the envelope
  [[nodiscard]] static std::optional<StatusFilter> parse(std::string_view text);
  [[nodiscard]] bool has(const cassettes::ListedInteraction& line) const;
};

/// Parses a time into microseconds since the epoch: "2026-11-22", "2026-11-22T16:00", "2026-11-22 16:00:05" (UTC, with
/// or without Z), or an age at `now_us`: "90s", "30m", "2h", "3d".
[[nodiscard]] std::optional<std::int64_t> time_of(std::string_view text, std::int64_t now_us);

/// Returns true for the calls that a filter selects.
using CallFilter = std::function<bool(const api::Call& call)>;

/// Values of one kind are alternatives, and an empty list matches all. All kinds must match.
struct Selection {
  std::vector<CallFilter> calls;    ///< a request that is no call fits none
  std::vector<std::string> scopes;  ///< decoded names; empty: recorded without a scope
  std::vector<std::uint32_t> takes;
  std::vector<Outcome> outcomes;
  std::vector<StatusFilter> statuses;
  std::optional<std::int64_t> since_us;  ///< the earliest start time
  std::vector<std::string> ids;          ///< IDs in the form of `ls`, or their first digits

  [[nodiscard]] bool has(const cassettes::ListedInteraction& line) const;
  /// Returns true if there are no filters.
  [[nodiscard]] bool is_all() const;
};

}  // namespace tapedeck::tools
