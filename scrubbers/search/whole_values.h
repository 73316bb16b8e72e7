#pragma once
// Finds secrets that are too short or common to be searched for everywhere. They are found only where they are a whole
// value: a JSON string that is not a key, a parameter, a header, or the text of an XML tag.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/search/literal_index.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {

/// Returns true if such a value may be replaced as a whole value. It must have four bytes or more (six if all are
/// digits), and must be neither a common word nor a word of the interface ("required"), because these occur in most
/// responses.
[[nodiscard]] bool is_whole_secret(std::string_view value);

/// An index of such values. search() is thread-safe, but add() must not run at the same time.
class WholeValues {
 public:
  static constexpr std::size_t most = 4096;

  explicit WholeValues(base::SecretArena& arena) : arena_(&arena) {}
  /// Adds a secret with its number, unless there are `most`. `value` must outlive this.
  void add(std::uint32_t number, std::string_view value);
  [[nodiscard]] std::size_t size() const { return values_; }
  /// Adds the places of values in `text` to `hits`. `text` is a body, a target, or the value of a header.
  void search(std::string_view text, SearchHits& hits) const;

 private:
  enum class Around : std::uint8_t { quotes, escaped_quotes, percent_quotes, parameter, tag };
  struct Needle {
    std::string_view bytes;  ///< the value with its surroundings
    std::uint32_t number = 0;
    std::size_t before = 0;  ///< bytes before the value
    std::size_t behind = 0;
    Around around = Around::quotes;
    Encoding encoding;
  };
  void add_needle(std::uint32_t number, std::string_view before, std::string_view value, std::string_view behind,
                  Around around, Encoding encoding);
  [[nodiscard]] static bool is_whole(std::string_view text, std::size_t at, const Needle& needle);
  void take(std::string_view text, std::size_t at, const Needle& needle, SearchHits& hits) const;

  base::SecretArena* arena_;
  std::deque<Needle> needles_;
  std::vector<std::uint32_t> short_;  ///< needles shorter than LiteralIndex::shortest
  LiteralIndex index_;
  std::vector<std::pair<std::uint32_t, std::string_view>> alone_;
  std::size_t values_ = 0;
};

}  // namespace tapedeck::scrubbers
