#pragma once
// Many literals searched for at once, with nothing to compile, so that a value learned a moment ago is found at once.
//
// Every 7 bytes of a literal cover, wherever they stand, one whole word of 4 bytes whose place is a multiple of 4. The
// index holds the four words of 7 bytes of each literal, of those that few others have (ids are alike in front); a
// search looks at every fourth byte alone: a bit table says whether the word is in the index at all. An automaton
// library was rejected: it is as fast, but has to compile all values again for each new one.

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
  /// One of the four words of a literal. Those in one slot are a list.
  struct Entry {
    std::string_view literal;
    std::uint32_t id = 0;
    std::uint32_t offset = 0;  ///< of the word
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
  /// Returns where the 7 bytes of a literal begin whose words few other literals have.
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
