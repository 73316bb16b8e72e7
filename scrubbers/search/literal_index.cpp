#include "scrubbers/search/literal_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t words_per_literal = 4;
constexpr std::size_t few = 8;           // lists up to this length do not slow down a search
constexpr std::size_t many = 16;         // counting stops here
constexpr std::size_t most_places = 24;  // maximum number of positions examined in a literal
constexpr unsigned smallest_slots = 12;
constexpr unsigned most_bits = 23;
constexpr unsigned bits_per_slot = 5;  // log2 of slots per entry: most words of a text then hit an empty slot

}  // namespace

std::size_t LiteralIndex::length_of_list(std::uint32_t word) const {
  std::size_t length = 0;
  for (std::uint32_t number = first_[slot_of(word)]; number != 0 && length < many; ++length) {
    number = entries_[number - 1].next;
  }
  return length;
}

std::uint32_t LiteralIndex::telling_place(std::string_view literal) const {
  std::array<std::size_t, words_per_literal> lengths{};  // a ring of the list lengths of the last words
  std::size_t best = 0, fewest = many + 1;
  const std::size_t words = std::min(literal.size() - (sizeof(std::uint32_t) - 1), most_places + words_per_literal - 1);
  for (std::size_t i = 0; i < words && fewest > few; ++i) {
    lengths[i % words_per_literal] = length_of_list(load(literal.data() + i));
    const std::size_t most = *std::max_element(lengths.begin(), lengths.end());
    if (i + 1 < words_per_literal || most >= fewest) continue;
    fewest = most;
    best = i + 1 - words_per_literal;
  }
  return static_cast<std::uint32_t>(best);
}

void LiteralIndex::link(std::uint32_t number) {
  Entry& entry = entries_[number - 1];
  const std::uint32_t word = load(entry.literal.data() + entry.offset);
  entry.next = std::exchange(first_[slot_of(word)], number);
  const std::uint32_t bit = word * multiplier >> bit_shift_;
  bits_[bit / 64] |= std::uint64_t{1} << bit % 64;
}

void LiteralIndex::grow() {
  if (entries_.size() + words_per_literal <= first_.size()) return;
  const unsigned slots = first_.empty() ? smallest_slots : static_cast<unsigned>(std::bit_width(first_.size()) + 1);
  const unsigned bits = std::max(slots, std::min(most_bits, slots + bits_per_slot));
  slot_shift_ = 32 - slots;
  bit_shift_ = 32 - bits;
  first_.assign(std::size_t{1} << slots, 0);
  bits_.assign((std::size_t{1} << bits) / 64, 0);
  for (std::uint32_t number = 1; number <= entries_.size(); ++number) link(number);
}

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  grow();
  const std::uint32_t begin = telling_place(literal);
  for (std::uint32_t offset = begin; offset < begin + words_per_literal; ++offset) {
    entries_.push_back({literal, id, offset, 0});
    link(static_cast<std::uint32_t>(entries_.size()));
  }
}

}  // namespace tapedeck::scrubbers
