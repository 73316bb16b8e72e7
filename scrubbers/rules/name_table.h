#pragma once
// Names with meanings, compared without case.

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
  /// A name may have several indices, in the order of adding.
  void add(std::string_view name, std::uint16_t index);
  [[nodiscard]] std::span<const std::uint16_t> find(std::string_view name) const;

 private:
  static constexpr std::size_t longest = 64;
  std::unordered_map<std::string, std::vector<std::uint16_t>, base::TextHash, std::equal_to<>> indices_;
};

}  // namespace tapedeck::scrubbers
