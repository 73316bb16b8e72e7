#pragma once
// Maps names to meanings without regard to case.

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
  /// Adds a name. A name may have several indexes, in the order in which they were added.
  void add(std::string_view name, std::uint16_t index);
  [[nodiscard]] std::span<const std::uint16_t> find(std::string_view name) const;

 private:
  static constexpr std::size_t longest = 64;
  std::unordered_map<std::string, std::vector<std::uint16_t>, base::TextHash, std::equal_to<>> indices_;
};

}  // namespace tapedeck::scrubbers
