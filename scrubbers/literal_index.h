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
#include <unordered_map>
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
    for (std::size_t at = 0; at < end; at += 4) {
      const std::uint32_t word = load(text.data() + at);
      const std::uint32_t slot = slot_of(word);
      if ((bits_[slot >> 6] >> (slot & 63) & 1) != 0) [[unlikely]]
        check(text, at, word, hit);
    }
  }

 private:
  struct Entry {
    std::string_view literal;
    std::uint32_t id = 0;
    std::uint32_t offset = 0;
  };

  static std::uint32_t load(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t word) const { return word * 0x9E3779B1u >> shift_; }
  void set_bit(std::uint32_t word);
  void grow();

  template <class Hit>
  void check(std::string_view text, std::size_t at, std::uint32_t word, Hit&& hit) const {
    const auto found = entries_.find(word);
    if (found == entries_.end()) return;
    for (const Entry& entry : found->second) {
      if (entry.offset > at) continue;
      const std::size_t begin = at - entry.offset;
      if (text.substr(begin, entry.literal.size()) == entry.literal) hit(begin, entry.id);
    }
  }

  std::unordered_map<std::uint32_t, std::vector<Entry>> entries_;
  std::vector<std::uint64_t> bits_;
  unsigned shift_ = 0;
  std::size_t literals_ = 0;
};

}  // namespace tapedeck::scrubbers
