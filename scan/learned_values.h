#pragma once
// Stores the secrets of a run, for which the leak scan searches.

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/secret_arena.h"

namespace tapedeck::scan {

/// How a learned value is searched for. Each way finds more than the previous one.
enum class Search {
  named,  ///< only as a whole value beside a telling name (`passwd=…`, `"otp_code":"…"`); for short and common values
  word,      ///< without an ASCII letter or digit beside it; base64 and hex of short values are not decoded
  anywhere,  ///< every occurrence, in every encoding
};

/// A set of values. Not thread-safe.
class LearnedValues {
 public:
  /// Shorter values are only searched for beside telling names.
  static constexpr std::size_t min_anywhere = 8;
  /// The length of the shortest value that can be searched for as a word.
  static constexpr std::size_t min_word = 3;

  LearnedValues() = default;
  LearnedValues(LearnedValues&&) noexcept = default;
  LearnedValues& operator=(LearnedValues&&) noexcept = default;

  /// Adds a value of any bytes, with `anywhere`. Ignores an empty value. A value that is added twice gets the search
  /// that finds more.
  void add(std::string_view value);
  /// Does the same with `search`. Uses `named` for a value that is shorter than min_anywhere (for `word`: shorter than
  /// min_word).
  void add(std::string_view value, Search search);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  struct Entry {
    std::string_view value;
    Search search;
  };
  /// Returns the entries in the order in which they were added. The views are valid as long as this object exists.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  base::SecretArena arena_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> known_;  ///< index in `entries_`
};

}  // namespace tapedeck::scan
