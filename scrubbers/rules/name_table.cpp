#include "scrubbers/rules/name_table.h"

#include <algorithm>

#include "base/text.h"
#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {

void NameTable::add(std::string_view name, std::uint16_t index) {
  if (name.empty() || name.size() >= longest) return;
  const std::size_t slot = slot_of(name.front(), name.back(), name.size());
  for (const char first : {fold(name.front()), base::upper(name.front())}) {
    lengths_[static_cast<std::uint8_t>(first)] |= std::uint64_t{1} << name.size();
  }
  filter_[slot / 64] |= std::uint64_t{1} << slot % 64;
  indices_[fold(name)].push_back(index);
}

std::span<const std::uint16_t> NameTable::find(std::string_view name) const {
  if (!may_have(name)) return {};
  std::array<char, longest> folded;
  std::transform(name.begin(), name.end(), folded.begin(), [](char c) { return fold(c); });
  const auto found = indices_.find(std::string_view(folded.data(), name.size()));
  return found == indices_.end() ? std::span<const std::uint16_t>{} : std::span<const std::uint16_t>(found->second);
}

}  // namespace tapedeck::scrubbers
