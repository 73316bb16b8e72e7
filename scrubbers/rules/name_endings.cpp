#include "scrubbers/rules/name_endings.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t shortest_ending = 2;
constexpr unsigned bits_of_letter = 5, all_bits = 31;

/// Words behind the name of a secret that leave it one. Trailing digits are no part of a name, so that `b64` is `b`.
constexpr std::string_view ending_tails[] = {"confirm",   "again",     "repeat",    "verify", "enc",
                                             "encrypted", "encoded",   "base",      "hash",   "hashed",
                                             "plain",     "plaintext", "cleartext", "value"};
constexpr std::string_view shortest_tail = "b";  // of a separate word

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
  if (name.size() > longest) name.remove_prefix(name.size() - longest);
  char before = '_';
  for (const char c : name) {
    if (base::is_alnum(c)) {
      const bool is_hump = base::is_upper(c) && base::is_lower(before);
      if (!base::is_alnum(before) || is_hump || base::is_digit(before)) begins_ |= std::uint64_t{1} << size_;
      text_[size_++] = base::fold(c);
    }
    before = c;
  }
}

void NameEndings::add(std::string_view ending, EndingMeaning meaning) {
  const Ending added{meaning, ending.starts_with('_'), ending.starts_with('=')};
  if (added.word || added.whole) ending.remove_prefix(1);
  if (ending.size() < shortest_ending || ending.size() >= FoldedName::longest) return;
  const std::size_t tail = tail_of(ending);
  // Any letter may stand before an ending of two letters.
  for (std::size_t any = 0; any <= (ending.size() < shortest ? all_bits : 0); ++any) tails_.set(tail | any);
  tails_.set(tail_of(std::string(ending).append(shortest_tail)));
  if (endings_.empty()) {
    for (const std::string_view word : ending_tails) tails_.set(tail_of(word));
  }
  lengths_ |= std::uint64_t{1} << ending.size();
  endings_.emplace(ending, added);
}

bool NameEndings::may_have(std::string_view name) const { return tails_[tail_of(name)]; }

const EndingMeaning* NameEndings::find(const FoldedName& name, std::size_t& stem) const {
  const std::string_view text = name.text();
  const EndingMeaning* const found = find_at_end(name, text.size(), stem);
  if (found != nullptr) return found;
  if (text.ends_with(shortest_tail) && name.begins_word(text.size() - 1)) {
    return find_at_end(name, text.size() - 1, stem);
  }
  const auto tail = std::find_if(std::begin(ending_tails), std::end(ending_tails),
                                 [text](std::string_view word) { return text.ends_with(word); });
  return tail == std::end(ending_tails) ? nullptr : find_at_end(name, text.size() - tail->size(), stem);
}

const EndingMeaning* NameEndings::find_at_end(const FoldedName& name, std::size_t size, std::size_t& stem) const {
  const std::string_view text = name.text().substr(0, size);
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
