#pragma once
// The secrets of a run that the leak scan searches for.

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/secret_arena.h"

namespace tapedeck::scan {

/// How a learned value is searched for. Later ones find more.
enum class Search {
  named,  ///< only as a whole value beside a telling name (`passwd=…`, `"otp_code":"…"`): for short and plain values
  word,   ///< every occurrence with no ASCII letter or digit beside it; base64 and hex of short values are not decoded
  anywhere,  ///< every occurrence, in every encoding
};

/// A set of values. Not thread-safe; movable, not copyable.
class LearnedValues {
 public:
  /// Shorter values are only searched for beside telling names.
  static constexpr std::size_t min_anywhere = 8;
  /// The length of the shortest value that can be searched for as a word.
  static constexpr std::size_t min_word = 3;

  LearnedValues() = default;
  LearnedValues(LearnedValues&&) noexcept = default;
  LearnedValues& operator=(LearnedValues&&) noexcept = default;

  /// Adds a value (any bytes). An empty one changes nothing, and a known one gets the search that finds more. Shorter
  /// than min_anywhere means `named`.
  void add(std::string_view value);
  /// As above; `anywhere` still means `named` for a value shorter than min_anywhere, and so does `word` below min_word.
  void add(std::string_view value, Search search);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  struct Entry {
    std::string_view value;
    Search search;
  };
  /// Returns the entries in the order of adding. The views live as long as this object.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  base::SecretArena arena_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> known_;  ///< index in `entries_`
};

}  // namespace tapedeck::scan
