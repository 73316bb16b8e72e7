#include "scrubbers/literal_index.h"

namespace tapedeck::scrubbers {
namespace {
constexpr unsigned smallest_bits = 16;  // 8 KiB: stays in the first-level cache
constexpr unsigned largest_bits = 22;
}  // namespace

LiteralIndex::LiteralIndex() { clear(); }

void LiteralIndex::clear() {
  entries_.clear();
  bits_.assign((std::size_t{1} << smallest_bits) / 64, 0);
  shift_ = 32 - smallest_bits;
  literals_ = 0;
}

void LiteralIndex::set_bit(std::uint32_t word) {
  const std::uint32_t slot = slot_of(word);
  bits_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
}

void LiteralIndex::grow() {
  const unsigned bits = 32 - shift_;
  if (bits >= largest_bits || literals_ * 4 * 16 < (std::size_t{1} << bits)) return;
  shift_ -= 2;
  bits_.assign((std::size_t{1} << (bits + 2)) / 64, 0);
  for (const auto& [word, entries] : entries_) set_bit(word);
}

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  ++literals_;
  for (std::uint32_t offset = 0; offset < 4; ++offset) {
    const std::uint32_t word = load(literal.data() + offset);
    entries_[word].push_back({literal, id, offset});
    set_bit(word);
  }
  grow();
}

}  // namespace tapedeck::scrubbers
