#pragma once
// The small tier of the search: many literals at once, with nothing to compile, so that a value learned a moment ago is
// searched for at once.
//
// Every literal has at least 7 bytes, so wherever it stands it covers one whole word of 4 bytes whose place is a
// multiple of 4, beginning 0 to 3 bytes into it. The index holds those four words of each literal; a search looks at
// every fourth byte alone: a bit table says whether the word is in the index at all. Hyperscan is as fast and better
// for very many, but compiles for 15 µs a literal, all anew each time: see hyperscan_set.h.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

class LiteralIndex {
 public:
  static constexpr std::size_t shortest = 7;

  LiteralIndex();
  /// `literal` has at least `shortest` bytes and must outlive the index.
  void add(std::string_view literal, std::uint32_t id);
  void clear();
  [[nodiscard]] std::size_t size() const { return literals_; }

  /// Calls hit(position, id) for each occurrence, once each, in no order within one word.
  template <class Hit>
  void search(std::string_view text, Hit&& hit) const {
    if (literals_ == 0 || text.size() < shortest) return;
    const std::size_t end = text.size() - 3;
    const std::uint64_t* const bits = bits_.data();
    const unsigned shift = shift_;
    for (std::size_t at = 0; at < end; at += 4) {
      const std::uint32_t word = load(text.data() + at);
      const std::uint32_t slot = word * multiplier >> shift;
      if ((bits[slot >> 6] >> (slot & 63) & 1) != 0) [[unlikely]]
        check(text, at, word, hit);
    }
  }

 private:
  /// One of a literal's four words. Those of equal words are a list, by index.
  struct Entry {
    std::string_view literal;
    std::uint32_t id = 0;
    std::uint32_t offset = 0;
    std::uint32_t next = none;
  };
  /// Where the entries of a word begin; open addressing, at most half full.
  struct Cell {
    std::uint32_t word = 0;
    std::uint32_t first = none;
  };

  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  static constexpr std::uint32_t multiplier = 0x9E3779B1u;

  static std::uint32_t load(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  /// The cell of a word, or the empty one where it belongs.
  [[nodiscard]] const Cell& cell_of(std::uint32_t word) const {
    const Cell* const cells = cells_.data();
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = word * multiplier & mask;
    while (cells[at].first != none && cells[at].word != word) at = (at + 1) & mask;
    return cells[at];
  }
  void put(Cell cell);
  void grow();

  template <class Hit>
  void check(std::string_view text, std::size_t at, std::uint32_t word, Hit&& hit) const {
    for (std::uint32_t i = cell_of(word).first; i != none;) {
      const Entry& entry = entries_[i];
      const std::size_t begin = at - entry.offset;
      if (entry.offset <= at && text.substr(begin, entry.literal.size()) == entry.literal) hit(begin, entry.id);
      i = entry.next;
    }
  }

  std::vector<Entry> entries_;
  std::vector<Cell> cells_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  unsigned shift_ = 0;
  std::size_t literals_ = 0;
};

}  // namespace tapedeck::scrubbers
