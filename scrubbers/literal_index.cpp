#include "scrubbers/literal_index.h"

#include <algorithm>

namespace tapedeck::scrubbers {
namespace {
constexpr unsigned smallest_bits = 17;  // 16 KiB: stays in the first-level cache
constexpr unsigned largest_bits = 23;
constexpr std::size_t bits_per_word = 64;  // wanted: one word of a text in 64 is looked at for nothing
constexpr std::size_t smallest_cells = 1024;
}  // namespace

LiteralIndex::LiteralIndex() { clear(); }

void LiteralIndex::clear() {
  entries_.clear();
  cells_.assign(smallest_cells, {});
  words_ = 0;
  bits_.assign((std::size_t{1} << smallest_bits) / 64, 0);
  shift_ = 32 - smallest_bits;
  literals_ = 0;
}

void LiteralIndex::put(Cell cell) {
  const std::size_t mask = cells_.size() - 1;
  std::size_t at = cell.word * multiplier & mask;
  while (cells_[at].first != none && cells_[at].word != cell.word) at = (at + 1) & mask;
  cells_[at] = cell;
  const std::uint32_t slot = cell.word * multiplier >> shift_;
  bits_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
}

void LiteralIndex::grow() {
  unsigned bits = 32 - shift_;
  while (bits < largest_bits && words_ * bits_per_word > (std::size_t{1} << bits)) ++bits;
  const bool more_cells = words_ * 2 >= cells_.size();
  if (bits == 32 - shift_ && !more_cells) return;
  shift_ = 32 - bits;
  bits_.assign((std::size_t{1} << bits) / 64, 0);
  const std::vector<Cell> cells = std::move(cells_);
  cells_.assign(cells.size() * (more_cells ? 4 : 1), {});
  for (const Cell& cell : cells) {
    if (cell.first != none) put(cell);
  }
}

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  ++literals_;
  for (std::uint32_t offset = 0; offset < 4; ++offset) {
    const std::uint32_t word = load(literal.data() + offset);
    const std::uint32_t before = cell_of(word).first;
    if (before == none) ++words_;
    put({word, static_cast<std::uint32_t>(entries_.size())});
    entries_.push_back({literal, id, offset, before});
    grow();
  }
}

}  // namespace tapedeck::scrubbers
