#include "scrubbers/search/literal_index.h"

#include <algorithm>
#include <bit>
#include <new>

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t words_per_literal = 4;
constexpr unsigned smallest_bits = 17;  // 16 KiB: stays in the first-level cache
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

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  ++literals_;
  for (std::uint32_t offset = 0; offset < words_per_literal; ++offset) {
    const std::uint32_t word = load(literal.data() + offset);
    Cell& cell = cells_[cell_of(word)];
    const auto size = static_cast<std::uint32_t>(literal.size());
    entries_[entry_count_] = {literal.data(), size, id, word, offset, cell.first};
    cell = {word, ++entry_count_};
    set_bit(word);
  }
  grow_bits();
}

}  // namespace tapedeck::scrubbers
