#pragma once
// Finds known values in a text in every form of docs/secrets.md: unencoded and in forms with only one spelling, in the
// text itself and in text decoded once or twice (codec.h).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/search/literal_index.h"
#include "scrubbers/text/encoding.h"

namespace tapedeck::scrubbers {

struct SearchHit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t value = 0;  ///< the number under which it was added
  Encoding encoding;
};

/// The result of searches in one text. Keeps at most `most` hits, because each costs memory.
class SearchHits {
 public:
  explicit SearchHits(std::size_t most = SIZE_MAX) : most_(most) {}
  void add(SearchHit hit) {
    if (is_full()) return;
    hits_.push_back(std::move(hit));
  }
  [[nodiscard]] bool is_full() const { return hits_.size() >= most_; }
  [[nodiscard]] std::vector<SearchHit> take() { return std::move(hits_); }

 private:
  std::size_t most_;
  std::vector<SearchHit> hits_;
};

/// search() is const and thread-safe; add() must not run at the same time.
class SecretSearch {
 public:
  static constexpr std::size_t shortest = 8;

  explicit SecretSearch(base::SecretArena& arena) : arena_(&arena) {}
  SecretSearch(const SecretSearch&) = delete;
  SecretSearch& operator=(const SecretSearch&) = delete;

  /// `value` has at least `shortest` bytes and must outlive the search.
  void add(std::uint32_t number, std::string_view value);
  [[nodiscard]] bool empty() const { return needles_.empty(); }

  /// Returns all occurrences, including overlapping ones, in no order.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view text) const;
  void search(std::string_view text, SearchHits& hits) const;
  /// Returns true if `text` contains a value unencoded or in an enumerated form, without decoding.
  [[nodiscard]] bool occurs_plainly(std::string_view text) const;
  /// Returns true if `text` ends in the first bytes of a value, at least 6 of them but not all, in any form that
  /// search() finds. This happens where a response was cut.
  [[nodiscard]] bool ends_in_part_of_a_value(std::string_view text) const;
  /// Returns true if ends_in_part_of_a_value() does, if `text` begins with the last bytes of a value, or if it is short
  /// and a part of one.
  [[nodiscard]] bool is_cut_within_a_value(std::string_view text) const;

 private:
  struct KnownNeedle {
    std::string_view bytes;
    std::uint32_t number = 0;
    std::optional<Form> form;  ///< a form with only one spelling, base64 in either alphabet, or the value itself
    std::uint8_t alignment = 0;
  };

  enum class Edge : std::uint8_t { begin, end };
  /// Returns true if a value is cut at this edge of the text or of its decoded forms, up to `levels` levels.
  [[nodiscard]] bool is_cut_at(Edge edge, std::string_view text, int levels) const;
  [[nodiscard]] bool has_part_at(Edge edge, std::string_view text) const;
  struct Layer;
  void search_layer(const Layer& layer, const Layer* outer, SearchHits& hits) const;
  template <class Hit>
  void each_needle(std::string_view text, Hit&& hit) const;

  base::SecretArena* arena_;
  std::vector<KnownNeedle> needles_;
  std::vector<std::string_view> values_;  ///< index: the number
  LiteralIndex index_;                    ///< of needles_; IDs are their indexes
};

}  // namespace tapedeck::scrubbers
