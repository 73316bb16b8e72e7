#pragma once
// Names that mean something, compared without case, with a first test that costs one load: nearly every key of a JSON
// body is none of them.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"

namespace tapedeck::scrubbers {

class NameTable {
 public:
  /// Several indices may stand under one name, in the order of adding.
  void add(std::string_view name, std::uint16_t index);
  /// False for most names that find() does not have.
  [[nodiscard]] bool may_have(std::string_view name) const {
    if (name.empty() || name.size() >= longest) return false;
    if ((lengths_[static_cast<std::uint8_t>(name.front())] >> name.size() & 1) == 0) return false;
    const std::size_t slot = slot_of(name.front(), name.back(), name.size());
    return (filter_[slot / 64] >> slot % 64 & 1) != 0;
  }
  [[nodiscard]] std::span<const std::uint16_t> find(std::string_view name) const;
  [[nodiscard]] bool empty() const { return indices_.empty(); }
  template <class Visit>
  void each_name(Visit&& visit) const {
    for (const auto& entry : indices_) visit(std::string_view(entry.first));
  }

 private:
  static constexpr std::size_t longest = 64;  // a bit for each length
  static constexpr std::size_t slots = 8192;
  // By first byte, last byte (both without case) and length.
  static constexpr std::size_t slot_of(char first, char last, std::size_t length) {
    return ((static_cast<std::uint8_t>(first) & 0xDFu) * 37 + (static_cast<std::uint8_t>(last) & 0xDFu) * 151 +
            length * 1021) %
           slots;
  }
  // Of the names that begin with a byte: which lengths they have.
  std::array<std::uint64_t, 256> lengths_{};
  std::array<std::uint64_t, slots / 64> filter_{};
  std::unordered_map<std::string, std::vector<std::uint16_t>, base::TextHash, std::equal_to<>> indices_;
};

}  // namespace tapedeck::scrubbers
