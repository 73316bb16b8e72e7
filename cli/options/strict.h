#pragma once
// --strict and --strict=LIST: what must not happen in a run (docs/testing.md, "CI").

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::cli {

/// What a run counted, by the words of --strict.
using EventCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;

class Strict {
 public:
  /// The words of LIST, between commas; "true" is the option without a list: `alone`. Throws UsageError that names a
  /// word that is none.
  Strict(std::string_view list, std::string_view alone);
  Strict() = default;

  [[nodiscard]] bool has(std::string_view kind) const { return kinds_.contains(kind); }
  [[nodiscard]] bool any() const { return !kinds_.empty(); }
  /// True when something of it has happened.
  [[nodiscard]] bool is_broken(const EventCounts& happened) const;

  /// What built-in effects changed: part of --strict alone, and no word of LIST.
  static constexpr std::string_view builtin_effect = "builtin-effect";
  static constexpr std::string_view on_replay = "miss,fallback,builtin-effect";
  static constexpr std::string_view on_record = "withheld,broken,ambiguous";

 private:
  std::set<std::string, std::less<>> kinds_;
};

/// " The events for --strict are miss, fallback, …, and overlay-unused, separated by commas."
[[nodiscard]] std::string strict_sentence();

}  // namespace tapedeck::cli
