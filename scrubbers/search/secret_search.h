#pragma once
// Finds known values in a text in every form of docs/secrets.md: unencoded and in forms with only one spelling, in the
// text itself and in text decoded once or twice (codec.h).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/search/literal_index.h"
#include "scrubbers/text/encoding.h"

namespace tapedeck::scrubbers {

/// Where a value counts as found.
enum class Reach : std::uint8_t {
  anywhere,  ///< within any text
  token,     ///< where no letter or digit continues it, and as a whole text in base64, hex, and UTF-16
  whole,     ///< only as a whole value: in quotes, as a parameter, the text of a tag, a path segment, or a whole text
};

struct SearchHit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t value = 0;  ///< the number under which it was added
  Encoding encoding;
  Reach reach = Reach::anywhere;
  bool is_structure = false;  ///< belongs to the structure of the text
};

/// Returns true if a place belongs to the structure of a text, decoded or not, so that it must not be replaced.
using IsStructure = std::function<bool(std::string_view text, std::size_t begin, std::size_t end, std::uint32_t value)>;

/// The result of searches in one text. Keeps at most `most` hits, because each costs memory.
class SearchHits {
 public:
  explicit SearchHits(std::size_t most = SIZE_MAX) : most_(most) {}
  void add(SearchHit hit) {
    if (is_full()) return;
    hits_.push_back(std::move(hit));
  }
  [[nodiscard]] bool is_full() const { return hits_.size() >= most_; }
  /// Returns the hits without those that belong to the structure of any decoding.
  [[nodiscard]] std::vector<SearchHit> take();

 private:
  std::size_t most_;
  std::vector<SearchHit> hits_;
};

/// search() is const and thread-safe; add() must not run at the same time.
class SecretSearch {
 public:
  /// The shortest value that is found anywhere, and the shortest value of all.
  static constexpr std::size_t shortest = 8, shortest_token = 4;
  /// The maximum number of values with fewer bytes than LiteralIndex::shortest, because each costs a pass.
  static constexpr std::size_t most_short = 64;

  explicit SecretSearch(base::SecretArena& arena) : arena_(&arena) {}
  SecretSearch(const SecretSearch&) = delete;
  SecretSearch& operator=(const SecretSearch&) = delete;

  /// `value` has at least `shortest` bytes (`shortest_token` for another reach) and must outlive the search.
  void add(std::uint32_t number, std::string_view value, Reach reach = Reach::anywhere);
  [[nodiscard]] bool empty() const { return needles_.empty(); }

  /// Returns all occurrences, including overlapping ones, in no order.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view text) const;
  void search(std::string_view text, SearchHits& hits, const IsStructure& is_structure = {}) const;
  /// Returns true if `text` contains a value unencoded or in an enumerated form, without decoding.
  [[nodiscard]] bool occurs_plainly(std::string_view text) const;
  /// Returns true if search() finds a value of reach `anywhere`.
  [[nodiscard]] bool occurs(std::string_view text) const;
  /// Returns true if `text` ends in the first bytes of a value, at least 6 of them but not all, in any form that
  /// search() finds. This happens where a response was cut.
  [[nodiscard]] bool ends_in_part_of_a_value(std::string_view text) const;
  /// Returns true if ends_in_part_of_a_value() does, if `text` begins with the last bytes of a value, or if it is short
  /// and a part of one.
  [[nodiscard]] bool is_cut_within_a_value(std::string_view text) const;

 private:
  struct KnownNeedle {
    std::string_view bytes;
    std::size_t size = 0;  ///< without the padding of base64
    std::uint32_t number = 0;
    std::optional<Form> form;  ///< a form with only one spelling, base64 in either alphabet, or the value itself
    std::uint8_t alignment = 0;
    Reach reach = Reach::anywhere;
  };
  struct Found;

  enum class Edge : std::uint8_t { begin, end };
  /// Returns true if a value is cut at this edge of the text or of its decoded forms, up to `levels` levels.
  [[nodiscard]] bool is_cut_at(Edge edge, std::string_view text, int levels) const;
  [[nodiscard]] bool has_part_at(Edge edge, std::string_view text) const;
  struct Layer;
  void search_layer(const Layer& layer, const Layer* outer, SearchHits& hits, const IsStructure& is_structure) const;
  template <class Hit>
  void each_needle(std::string_view text, Hit&& hit) const;

  base::SecretArena* arena_;
  std::vector<KnownNeedle> needles_;
  std::vector<std::string_view> values_;  ///< index: the number
  std::vector<std::uint32_t> short_;      ///< indexes of needles_ that are too short for the index
  LiteralIndex index_;                    ///< of needles_; IDs are their indexes
};

}  // namespace tapedeck::scrubbers
