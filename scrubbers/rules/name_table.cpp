#include "scrubbers/rules/name_table.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tapedeck::scrubbers {

void NameTable::add(std::string_view name, std::uint16_t index) {
  if (name.size() < longest) indices_[base::fold(name)].push_back(index);
}

std::span<const std::uint16_t> NameTable::find(std::string_view name) const {
  if (name.size() >= longest) return {};
  std::array<char, longest> folded;
  std::transform(name.begin(), name.end(), folded.begin(), [](char c) { return base::fold(c); });
  const auto found = indices_.find(std::string_view(folded.data(), name.size()));
  return found == indices_.end() ? std::span<const std::uint16_t>{} : std::span<const std::uint16_t>(found->second);
}

}  // namespace tapedeck::scrubbers
