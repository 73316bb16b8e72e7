#pragma once
// Names that mean something, compared without case, with a first test that costs two loads: nearly every key of a JSON
// body is none of them.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tapedeck::scrubbers {

class NameTable {
 public:
  /// Several indices may stand under one name, in the order of adding.
  void add(std::string_view name, std::uint16_t index);
  /// False for most names that find() does not have.
  [[nodiscard]] bool may_have(std::string_view name) const {
    if (name.empty() || name.size() >= 64) return false;
    return (lengths_[static_cast<std::uint8_t>(name[0])] >> name.size() & 1) != 0;
  }
  [[nodiscard]] std::span<const std::uint16_t> find(std::string_view name) const;
  [[nodiscard]] bool empty() const { return indices_.empty(); }

 private:
  std::array<std::uint64_t, 256> lengths_{};  ///< by first byte, either case: bit n for a name of n bytes
  std::unordered_map<std::string, std::vector<std::uint16_t>> indices_;
};

}  // namespace tapedeck::scrubbers
