#include "scrubbers/name_table.h"

#include "scrubbers/text_forms.h"

namespace tapedeck::scrubbers {

void NameTable::add(std::string_view name, std::uint16_t index) {
  if (name.empty() || name.size() >= 64) return;
  const std::string folded = fold(name);
  const char first = folded[0];
  const std::uint64_t bit = std::uint64_t{1} << folded.size();
  lengths_[static_cast<std::uint8_t>(first)] |= bit;
  if (first >= 'a' && first <= 'z') lengths_[static_cast<std::uint8_t>(first - ('a' - 'A'))] |= bit;
  indices_[folded].push_back(index);
}

std::span<const std::uint16_t> NameTable::find(std::string_view name) const {
  if (!may_have(name)) return {};
  const auto found = indices_.find(fold(name));
  return found == indices_.end() ? std::span<const std::uint16_t>{} : std::span<const std::uint16_t>(found->second);
}

}  // namespace tapedeck::scrubbers
