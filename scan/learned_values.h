#pragma once
// The secrets that a run has learned, for the leak scan to look for. Nothing here knows how they were learned.

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/secret_arena.h"

namespace tapedeck::scan {

/// How a learned value is looked for. A later one finds more.
enum class Search {
  named,  ///< only as a whole value beside a telling name (`passwd=…`, `"otp_code":"…"`): for short and plain values
  word,   ///< every occurrence with no ASCII letter or digit beside it; base64 and hex of short values are not decoded
  anywhere,  ///< every occurrence, in every encoding
};

/// A set of values. Not thread-safe; movable, not copyable.
class LearnedValues {
 public:
  /// Below this length a value is only looked for beside telling names.
  static constexpr std::size_t min_anywhere = 8;
  /// The shortest that can be looked for as a word.
  static constexpr std::size_t min_word = 3;

  LearnedValues() = default;
  LearnedValues(LearnedValues&&) noexcept = default;
  LearnedValues& operator=(LearnedValues&&) noexcept = default;

  /// Adds a value (any bytes); an empty one changes nothing, and a known one is looked for as the search that finds
  /// more says. Shorter than min_anywhere means `named`.
  void add(std::string_view value);
  /// As above; `anywhere` for a value shorter than min_anywhere still means `named`, and so does `word` below min_word.
  void add(std::string_view value, Search search);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  struct Entry {
    std::string_view value;
    Search search;
  };
  /// In the order of adding; the views live as long as this object.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  base::SecretArena arena_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> known_;  ///< index in `entries_`
};

}  // namespace tapedeck::scan
