#pragma once
// The small tier of the search: many literals at once, with nothing to compile, so that a value learned a moment ago is
// searched for at once.
//
// Every 7 bytes of a literal cover, wherever they stand, one whole word of 4 bytes whose place is a multiple of 4. The
// index holds the four words of 7 bytes of each literal, of its first ones unless many others have those too (ids are
// alike in front); a search looks at every fourth byte alone: a bit table says whether the word is in the index at all.
// Hyperscan is as fast and better for very many, but compiles for 15 µs a literal, all anew each time: see
// hyperscan_set.h.
//
// It has room for a number of literals that is said at the start: entries that are copied into a larger table would
// make one login in a few hundred wait for milliseconds. Their memory is zero pages until it is used. The bit table
// alone grows, since a search of few literals is fast while it fits into the first-level cache.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace tapedeck::scrubbers {

class LiteralIndex {
 public:
  static constexpr std::size_t shortest = 7;

  /// Throws std::bad_alloc.
  explicit LiteralIndex(std::size_t capacity);
  /// `literal` has at least `shortest` bytes and must outlive the index, which is not full.
  void add(std::string_view literal, std::uint32_t id);
  [[nodiscard]] std::size_t size() const { return literals_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool full() const { return literals_ == capacity_; }

  /// Calls hit(position, id) for each occurrence, once each, in no order within one word.
  template <class Hit>
  void search(std::string_view text, Hit&& hit) const {
    if (literals_ == 0 || text.size() < shortest) return;
    const std::size_t end = text.size() - 3;
    for (std::size_t at = next_known(text.data(), 0, end); at < end; at = next_known(text.data(), at + 4, end)) {
      check(text, at, load(text.data() + at), hit);
    }
  }

 private:
  /// One of a literal's four words. Those of equal words are a list.
  struct Entry {
    const char* literal;
    std::uint32_t size;
    std::uint32_t id;
    std::uint32_t word;
    std::uint32_t offset;  ///< of the word
    std::uint32_t next;    ///< number of the next entry, 0 for none
  };
  /// Where the entries of a word begin; open addressing, at most half full.
  struct Cell {
    std::uint32_t word;
    std::uint32_t first;  ///< number of an entry, from 1; 0: the cell is free
    std::uint32_t count;  ///< of its entries
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  template <class T>
  using Table = std::unique_ptr<T[], Free>;

  static constexpr std::uint32_t multiplier = 0x9E3779B1u;

  template <class T>
  static Table<T> zeroed(std::size_t count);
  static std::uint32_t load(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  /// The number of the cell of a word, or of the free one where it belongs.
  [[nodiscard]] std::size_t cell_of(std::uint32_t word) const {
    const Cell* const cells = cells_.get();
    std::size_t at = word * multiplier & cell_mask_;
    while (cells[at].first != 0 && cells[at].word != word) at = (at + 1) & cell_mask_;
    return at;
  }

  /// The next place from `at` on, in steps of 4, whose word may be a literal's; not below `end` when there is none. On
  /// its own, so that the loop has all registers: beside what looks at its hits it takes twice as long.
  [[nodiscard]] std::size_t next_known(const char* text, std::size_t at, std::size_t end) const;
  /// Where the 7 bytes of a literal begin whose words are not those of many others.
  [[nodiscard]] std::uint32_t telling_place(std::string_view literal) const;
  void set_bit(std::uint32_t word) {
    const std::uint32_t slot = word * multiplier >> shift_;
    bits_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
  }
  void grow_bits();

  template <class Hit>
  void check(std::string_view text, std::size_t at, std::uint32_t word, Hit&& hit) const {
    for (std::uint32_t number = cells_[cell_of(word)].first; number != 0;) {
      const Entry& entry = entries_[number - 1];
      const std::size_t begin = at - entry.offset;
      const std::string_view literal(entry.literal, entry.size);
      if (entry.offset <= at && text.substr(begin, literal.size()) == literal) hit(begin, entry.id);
      number = entry.next;
    }
  }

  std::size_t capacity_;
  std::size_t literals_ = 0;
  std::uint32_t entry_count_ = 0;
  std::size_t cell_mask_;
  unsigned shift_ = 32;  ///< less the bits of a place in the bit table
  Table<Entry> entries_;
  Table<Cell> cells_;
  Table<std::uint64_t> bits_;
};

}  // namespace tapedeck::scrubbers
