#pragma once
// Defines the events that make a run fail with --strict or --strict=LIST (docs/testing.md, "CI").

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// The number of occurrences of each event of --strict in a run.
using EventCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;

class Strict {
 public:
  /// Parses LIST, whose words are separated by commas. "true" is the option without a list, and selects `alone`. Throws
  /// UsageError with the first unknown word.
  Strict(std::string_view list, std::string_view alone);
  Strict() = default;

  [[nodiscard]] bool has(std::string_view kind) const { return kinds_.contains(kind); }
  [[nodiscard]] bool any() const { return !kinds_.empty(); }
  /// Returns true if one of the selected events occurred.
  [[nodiscard]] bool is_broken(const EventCounts& happened) const;

  /// A response was changed by a built-in effect. Counts only for --strict without a list, and cannot be named in LIST.
  static constexpr std::string_view builtin_effect = "builtin-effect";
  static constexpr std::string_view on_replay = "miss,fallback,account,builtin-effect";
  static constexpr std::string_view on_record = "withheld,broken,ambiguous";

 private:
  std::set<std::string, std::less<>> kinds_;
};

/// Accepts the LIST of --strict. "true", the option without a list, selects `alone`.
[[nodiscard]] Destination strict_into(Strict& strict, std::string_view alone);

/// Returns a sentence for the help: "The events for --strict are miss, fallback, …, and overlay-unused, separated by
/// commas."
[[nodiscard]] std::string strict_sentence();

}  // namespace tapedeck::cli
