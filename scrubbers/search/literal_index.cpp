#include "scrubbers/search/literal_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t words_per_literal = 4;
constexpr std::uint32_t few = 8;         // entries of a word, which cost no search anything
constexpr std::size_t most_places = 64;  // of a literal, that are looked at
constexpr unsigned smallest_bits = 17;   // 16 KiB: stays in the first-level cache
constexpr unsigned largest_bits = 23;
constexpr std::size_t bits_per_word = 64;  // wanted: one word of a text in 64 is looked at for nothing

}  // namespace

template <class T>
LiteralIndex::Table<T> LiteralIndex::zeroed(std::size_t count) {
  auto* const memory = static_cast<T*>(std::calloc(count, sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
  return Table<T>(memory);
}

LiteralIndex::LiteralIndex(std::size_t capacity)
    : capacity_(capacity),
      cell_mask_(std::bit_ceil(capacity * words_per_literal * 2) - 1),
      entries_(zeroed<Entry>(capacity * words_per_literal)),
      cells_(zeroed<Cell>(cell_mask_ + 1)) {
  grow_bits();
}

void LiteralIndex::grow_bits() {
  unsigned bits = std::max(smallest_bits, 32 - shift_);
  while (bits < largest_bits && entry_count_ * bits_per_word > (std::size_t{1} << bits)) ++bits;
  if (bits == 32 - shift_) return;
  shift_ = 32 - bits;
  bits_ = zeroed<std::uint64_t>((std::size_t{1} << bits) / 64);
  for (std::uint32_t i = 0; i < entry_count_; ++i) set_bit(entries_[i].word);
}

std::size_t LiteralIndex::next_known(const char* text, std::size_t at, std::size_t end) const {
  const std::uint64_t* const bits = bits_.get();
  const unsigned shift = shift_;
  for (; at < end; at += 4) {
    const std::uint32_t slot = load(text + at) * multiplier >> shift;
    if ((bits[slot >> 6] >> (slot & 63) & 1) != 0) break;
  }
  return at;
}

std::uint32_t LiteralIndex::telling_place(std::string_view literal) const {
  std::array<std::uint32_t, words_per_literal> counts{};  // of the words from a place on, each at its place modulo 4
  std::uint32_t best = 0, fewest = std::numeric_limits<std::uint32_t>::max();
  const std::size_t words = std::min(literal.size() - (sizeof(std::uint32_t) - 1), most_places + words_per_literal - 1);
  for (std::size_t i = 0; i < words; ++i) {
    counts[i % words_per_literal] = cells_[cell_of(load(literal.data() + i))].count;
    if (i + 1 < words_per_literal) continue;
    const std::uint32_t most = *std::max_element(counts.begin(), counts.end());
    if (most >= fewest) continue;
    fewest = most;
    best = static_cast<std::uint32_t>(i + 1 - words_per_literal);
    if (most <= few) break;
  }
  return best;
}

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  ++literals_;
  const std::uint32_t begin = telling_place(literal);
  for (std::uint32_t offset = begin; offset < begin + words_per_literal; ++offset) {
    const std::uint32_t word = load(literal.data() + offset);
    Cell& cell = cells_[cell_of(word)];
    const auto size = static_cast<std::uint32_t>(literal.size());
    entries_[entry_count_] = {literal.data(), size, id, word, offset, cell.first};
    cell = {word, ++entry_count_, cell.count + 1};
    set_bit(word);
  }
  grow_bits();
}

}  // namespace tapedeck::scrubbers
