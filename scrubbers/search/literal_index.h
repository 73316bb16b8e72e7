#pragma once
// Searches for many literals in one pass. Nothing is compiled, so a new value is found immediately.
//
// Any 7 consecutive bytes contain one whole word of 4 bytes at a position that is a multiple of 4. For each literal,
// the index contains the four words of 7 of its bytes, chosen so that few other literals have them (the beginnings of
// IDs are often alike). A search examines only every fourth position: a bit table shows whether the index contains that
// word. An automaton library was rejected: it is as fast, but compiles all values again for each new one.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

/// search() is const and thread-safe; add() must not run at the same time.
class LiteralIndex {
 public:
  static constexpr std::size_t shortest = 7;

  /// `literal` has at least `shortest` bytes and must outlive the index.
  void add(std::string_view literal, std::uint32_t id);

  /// Calls hit(position, id) once for each occurrence, in no order within one word.
  template <class Hit>
  void search(std::string_view text, Hit&& hit) const {
    if (entries_.empty() || text.size() < shortest) return;
    const std::size_t end = text.size() - 3;
    for (std::size_t at = 0; at < end; at += 4) {
      const std::uint32_t word = load(text.data() + at);
      if (may_have(word)) check(text, at, word, hit);
    }
  }

 private:
  /// One of the four words of a literal. The entries of one slot form a list.
  struct Entry {
    std::string_view literal;
    std::uint32_t id = 0;
    std::uint32_t offset = 0;  ///< position of the word in the literal
    std::uint32_t next = 0;    ///< number of the next entry; 0: none
  };
  static constexpr std::uint32_t multiplier = 0x9E3779B1u;

  static std::uint32_t load(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  [[nodiscard]] bool may_have(std::uint32_t word) const {
    const std::uint32_t bit = word * multiplier >> bit_shift_;
    return (bits_[bit / 64] >> bit % 64 & 1) != 0;
  }
  [[nodiscard]] std::size_t slot_of(std::uint32_t word) const { return word * multiplier >> slot_shift_; }
  [[nodiscard]] std::size_t length_of_list(std::uint32_t word) const;
  /// Returns the position of the 7 bytes of a literal whose words the fewest other literals have.
  [[nodiscard]] std::uint32_t telling_place(std::string_view literal) const;
  void link(std::uint32_t number);
  void grow();

  template <class Hit>
  void check(std::string_view text, std::size_t at, std::uint32_t word, Hit&& hit) const {
    for (std::uint32_t number = first_[slot_of(word)]; number != 0; number = entries_[number - 1].next) {
      const Entry& entry = entries_[number - 1];
      if (entry.offset > at) continue;
      const std::size_t begin = at - entry.offset;
      if (text.substr(begin, entry.literal.size()) == entry.literal) hit(begin, entry.id);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> first_;  ///< number of the first entry of a slot, from 1; 0: none
  std::vector<std::uint64_t> bits_;
  unsigned slot_shift_ = 0, bit_shift_ = 0;  ///< 32 minus the bits of an index in the two tables
};

}  // namespace tapedeck::scrubbers
