#include "scrubbers/rules/name_endings.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t shortest_ending = 2;
constexpr unsigned bits_of_letter = 5, all_bits = 31;

/// Returns a number of the last three letters or digits of a name, as FoldedName sees them. The first of them is in the
/// lowest bits, which are 0 for a name with only two. Returns 0 for a shorter name.
std::size_t tail_of(std::string_view name) {
  std::size_t tail = 0, count = 0;
  for (std::size_t at = name.size(); at > 0 && count < NameEndings::shortest; --at) {
    const char c = name[at - 1];
    if (!base::is_letter(c) && (count == 0 || !base::is_digit(c))) continue;
    tail = tail << bits_of_letter | (static_cast<std::uint8_t>(c) & all_bits);
    ++count;
  }
  return count < shortest_ending ? 0 : tail << (NameEndings::shortest - count) * bits_of_letter;
}

}  // namespace

FoldedName::FoldedName(std::string_view name) {
  while (!name.empty() && !base::is_letter(name.back())) name.remove_suffix(1);
  constexpr std::size_t most_read = 2 * longest;
  if (name.size() > most_read) name.remove_prefix(name.size() - most_read);
  // Goes backward, because only the end of a long name is kept.
  std::array<char, longest> reversed{};
  std::uint64_t begins = 0;
  bool behind_separator = false;
  for (std::size_t at = name.size(); at-- > 0 && size_ < longest;) {
    const char c = name[at];
    if (!base::is_alnum(c)) {
      behind_separator = true;
      continue;
    }
    // The character taken in the previous step begins a word if a separator, a capital, or a digit comes before it.
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

void NameEndings::add(std::string_view ending, EndingMeaning meaning) {
  const Ending added{meaning, ending.starts_with('_'), ending.starts_with('=')};
  if (added.word || added.whole) ending.remove_prefix(1);
  if (ending.size() < shortest_ending || ending.size() >= FoldedName::longest) return;
  const std::size_t tail = tail_of(ending);
  // Any letter may stand before an ending of two letters.
  for (std::size_t any = 0; any <= (ending.size() < shortest ? all_bits : 0); ++any) tails_.set(tail | any);
  lengths_ |= std::uint64_t{1} << ending.size();
  endings_.emplace(ending, added);
}

bool NameEndings::may_have(std::string_view name) const { return tails_[tail_of(name)]; }

const EndingMeaning* NameEndings::find(const FoldedName& name, std::size_t& stem) const {
  const std::string_view text = name.text();
  for (std::size_t length = std::min(text.size(), FoldedName::longest - 1); length >= shortest_ending; --length) {
    if ((lengths_ >> length & 1) == 0) continue;
    const std::size_t at = text.size() - length;
    const auto found = endings_.find(text.substr(at));
    if (found == endings_.end()) continue;
    if (found->second.word && !name.begins_word(at)) continue;
    if (found->second.whole && at != 0) continue;
    stem = at;
    return &found->second.meaning;
  }
  return nullptr;
}

}  // namespace tapedeck::scrubbers
