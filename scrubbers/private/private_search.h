#pragma once
// Finds known private texts of 6 characters or more everywhere, except where they are names of the interface.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/secret_arena.h"
#include "base/text_hash.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {

/// Returns true if a JSON key continues or ends at `end`.
[[nodiscard]] bool is_json_key(std::string_view text, std::size_t end);

class PrivateSearch {
 public:
  static constexpr std::size_t shortest = 6;

  PrivateSearch() : long_(arena_) {}

  /// Adds a text in the usual cases of its letters. Ignores shorter texts, words of the catalog, and values that every
  /// device has.
  void add(std::string_view text);
  /// Returns the number of texts, with each case counted.
  [[nodiscard]] std::size_t size() const { return spellings_.size(); }
  /// Returns hits in no order; `value` is the index of a spelling. Ignores parts of other words, JSON keys, and names
  /// of APIs and methods.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view text) const;
  [[nodiscard]] const std::string& spelling(std::uint32_t place) const { return spellings_.at(place); }

 private:
  [[nodiscard]] bool is_wanted(std::string_view text, const SearchHit& hit) const;

  base::SecretArena arena_;
  SecretSearch long_;
  std::vector<std::string> spellings_;
  std::unordered_set<std::string> known_;  ///< the same spellings
  /// The spellings shorter than SecretSearch::shortest, with their indexes, by length from `shortest`.
  std::array<std::unordered_map<std::string, std::uint32_t, base::TextHash, std::equal_to<>>,
             SecretSearch::shortest - shortest>
      short_;
};

}  // namespace tapedeck::scrubbers
