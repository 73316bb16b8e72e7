#pragma once
// Known private texts wherever they stand: from 6 characters on, and not where a name of the interface is meant.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {

/// A JSON key goes on at `end`, or ends there.
[[nodiscard]] bool is_json_key(std::string_view text, std::size_t end);

class PrivateSearch {
 public:
  static constexpr std::size_t shortest = 6;

  PrivateSearch() : long_(arena_) {}

  /// In the usual cases of its letters. Shorter texts, words of the catalog and what every device has are passed over.
  void add(std::string_view text);
  /// How many are looked for, each case of a text as one.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// In no order; `value` is the place of a spelling. Not where another word goes on, in a JSON key, or in the name of
  /// an API or a method.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view text) const;
  [[nodiscard]] const std::string& spelling(std::uint32_t place) const { return spellings_.at(place); }

 private:
  [[nodiscard]] bool is_wanted(std::string_view text, const SearchHit& hit) const;

  base::SecretArena arena_;
  SecretSearch long_;
  std::vector<std::string> spellings_;
  std::unordered_set<std::string> known_;  ///< the same
  std::vector<std::uint32_t> short_;       ///< places of those under SecretSearch::shortest
  std::size_t size_ = 0;
};

}  // namespace tapedeck::scrubbers
