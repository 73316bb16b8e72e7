#include "scrubbers/rules/name_endings.h"

#include <algorithm>

namespace tapedeck::scrubbers {

FoldedName::FoldedName(std::string_view name) {
  while (!name.empty() && !base::is_letter(name.back())) name.remove_suffix(1);
  constexpr std::size_t most_read = 2 * longest;
  if (name.size() > most_read) name.remove_prefix(name.size() - most_read);
  // From the end, since of a long name the end counts.
  std::array<char, longest> reversed{};
  std::uint64_t begins = 0;
  bool behind_separator = false;
  for (std::size_t at = name.size(); at-- > 0 && size_ < longest;) {
    const char c = name[at];
    if (!base::is_alnum(c)) {
      behind_separator = true;
      continue;
    }
    // What was taken before this one begins a word when something stands between them.
    if (size_ > 0) {
      const bool hump = base::is_upper(name[at + 1]) && base::is_lower(c);
      if (behind_separator || hump || base::is_digit(c)) begins |= std::uint64_t{1} << (size_ - 1);
    }
    behind_separator = false;
    reversed[size_++] = base::fold(c);
  }
  std::reverse_copy(reversed.begin(), reversed.begin() + static_cast<std::ptrdiff_t>(size_), text_.begin());
  for (std::size_t i = 0; i < size_; ++i) {
    if ((begins >> i & 1) != 0) begins_ |= std::uint64_t{1} << (size_ - 1 - i);
  }
}

void TailFilter::add(std::string_view last_three, Before before) {
  Before& known = before_[slot_before(last_three.data() + last_three.size())];
  known.fourth |= before.fourth;
  known.fifth |= before.fifth;
}

void TailFilter::add_ending(std::string_view ending) {
  constexpr std::uint32_t separator = 1;
  const auto before = [ending](std::size_t back) { return bit(ending, back, ~0u); };
  add(ending.substr(ending.size() - length), {before(4) | separator, before(5) | before(4) | separator});
  // session_id, user_pw: a separator is among the last three.
  if (!ending.ends_with("id") && !ending.ends_with("pw")) return;
  for (const char mark : {'_', '-', '.', ' '}) {
    const std::array<char, length> tail{mark, ending[ending.size() - 2], ending.back()};
    add({tail.data(), tail.size()}, {before(3) | separator, before(4) | before(3) | separator});
  }
}

void TailFilter::add_name(std::string_view name) {
  add(name.substr(name.size() - length), {bit(name, 4, 1), bit(name, 5, 1)});
}

void NameEndings::add(std::string_view ending, int index) {
  Ending added{index, ending.starts_with('_'), ending.starts_with('=')};
  if (added.word || added.whole) ending.remove_prefix(1);
  if (ending.size() < shortest || ending.size() >= FoldedName::longest) return;
  tails_.add_ending(ending);
  lengths_ |= std::uint64_t{1} << ending.size();
  endings_.emplace(ending, added);
}

int NameEndings::find(const FoldedName& name, std::size_t& stem) const {
  const std::string_view text = name.text();
  if (text.size() < shortest || !tails_.has(text)) return none;
  for (std::size_t length = std::min(text.size(), FoldedName::longest - 1); length >= shortest; --length) {
    if ((lengths_ >> length & 1) == 0) continue;
    const std::size_t at = text.size() - length;
    const auto found = endings_.find(text.substr(at));
    if (found == endings_.end()) continue;
    if (found->second.word && !name.begins_word(at)) continue;
    if (found->second.whole && at != 0) continue;
    stem = at;
    return found->second.index;
  }
  return none;
}

}  // namespace tapedeck::scrubbers
