#include "scrubbers/private/pseudonyms.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "scrubbers/private/private_names.h"

namespace tapedeck::scrubbers {
namespace {

constexpr unsigned most_attempts = 200;

/// An endless stream of bytes that depends on the key and a text.
class Draws {
 public:
  Draws(const KeyedBits& bits, std::string seed) : bits_(bits), seed_(std::move(seed)) {}
  unsigned below(unsigned most) {
    if (used_ + 2 > block_.size()) {
      block_ = bits_(seed_ + "/" + std::to_string(number_++));
      used_ = 0;
    }
    const unsigned drawn = static_cast<unsigned>(block_[used_]) << 8 | block_[used_ + 1];
    used_ += 2;
    return drawn % most;
  }

 private:
  const KeyedBits& bits_;
  std::string seed_;
  std::array<std::uint8_t, 32> block_{};
  std::size_t used_ = 32;
  unsigned number_ = 0;
};

/// Returns true for texts of hex digits with both numbers and letters. Their pseudonyms must use only hex digits, so
/// that they still look like hashes.
bool is_hex_text(std::string_view text) {
  std::size_t digits = 0, letters = 0;
  for (const char c : text) {
    if (base::is_letter(c) && !base::is_hex(c)) return false;
    digits += base::is_digit(c) ? 1 : 0;
    letters += base::is_letter(c) ? 1 : 0;
  }
  return digits > 0 && letters > 0 && digits + letters >= 8;
}

/// Returns another character of the same script and of the same length in UTF-8.
std::uint32_t other_letter(std::uint32_t one, Draws& draws) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr Range scripts[] = {{0xe0, 0xf6},     {0x100, 0x17f},   {0x3b1, 0x3c9},  {0x430, 0x44f},
                                      {0x5d0, 0x5ea},   {0x627, 0x64a},   {0xe01, 0xe2e},  {0x3041, 0x3096},
                                      {0x30a1, 0x30fa}, {0x4e00, 0x9fa5}, {0xac00, 0xd7a3}};
  static constexpr Range blocks[] = {{0xc0, 0xff},     {0x100, 0x24f},   {0x370, 0x3ff},  {0x400, 0x4ff},
                                     {0x590, 0x5ff},   {0x600, 0x6ff},   {0xe00, 0xe7f},  {0x3040, 0x309f},
                                     {0x30a0, 0x30ff}, {0x3400, 0x9fff}, {0xac00, 0xd7af}};
  for (std::size_t i = 0; i < std::size(blocks); ++i) {
    if (one < blocks[i].first || one > blocks[i].last) continue;
    return scripts[i].first + draws.below(scripts[i].last - scripts[i].first + 1);
  }
  return one;
}

/// Returns `folded` with each character replaced by another one of the same kind.
std::string shaped_like(std::string_view folded, Draws& draws) {
  const bool hex = is_hex_text(folded);
  std::string made;
  bool in_number = false;
  for (std::size_t at = 0; at < folded.size();) {
    const char c = folded[at];
    if (base::is_digit(c)) {
      // A number gets a leading zero only if the original has one.
      const bool keeps = c == '0' && !in_number && at + 1 < folded.size() && base::is_digit(folded[at + 1]);
      made += keeps                    ? '0'
              : !in_number && c != '0' ? static_cast<char>('1' + draws.below(9))
                                       : static_cast<char>('0' + draws.below(10));
      ++at;
    } else if (base::is_letter(c)) {
      made += static_cast<char>('a' + draws.below(hex ? 6 : 26));
      ++at;
    } else if (static_cast<std::uint8_t>(c) < 0x80) {
      made += c;
      ++at;
    } else {
      const auto [code_point, length] = base::utf8_front(folded.substr(at));
      std::array<char, 4> bytes{c};
      made.append(bytes.data(), length == 0 ? 1 : base::put_utf8(other_letter(code_point, draws), bytes.data()));
      at += std::max<std::size_t>(length, 1);
    }
    in_number = base::is_digit(c);
  }
  return made;
}

/// Returns `text` with capitals at the places where `like` has them.
std::string in_case_of(std::string text, std::string_view like) {
  for (std::size_t i = 0; i < std::min(text.size(), like.size()); ++i) {
    if (base::is_upper(like[i])) text[i] = base::upper(text[i]);
  }
  return text;
}

bool has_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return base::is_alnum(c) || static_cast<std::uint8_t>(c) >= 0x80; });
}

}  // namespace

KeyedBits Pseudonyms::bits() const {
  return [this](std::string_view text) { return base::hmac_sha256(key_, text); };
}

void Pseudonyms::take(Entry entry) {
  if (!by_original_.try_emplace(base::fold(entry.original), entries_.size()).second) return;
  by_pseudonym_.emplace(entry.pseudonym, entries_.size());
  if (entry.is_text) note_spelling(entry.original);
  entries_.push_back(std::move(entry));
}

void Pseudonyms::note_spelling(std::string_view text) {
  if (spelled_.emplace(text).second) spellings_.emplace_back(text);
}

template <class Make>
std::string Pseudonyms::assign(std::string original, bool is_text, bool is_permuted, Make&& make) {
  const std::string folded = base::fold(original);
  if (const auto known = by_original_.find(folded); known != by_original_.end()) {
    if (frozen_) requested_.push_back(known->second);
    return entries_[known->second].pseudonym;
  }
  if (frozen_) return folded;
  std::string pseudonym;
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    pseudonym = make(attempt);
    const bool is_taken = by_pseudonym_.contains(pseudonym) || (!is_permuted && by_original_.contains(pseudonym));
    if (!is_taken && pseudonym != folded && !(is_text && is_common(pseudonym))) break;
    // When all attempts produced names that are in use, a suffix makes the pseudonym unique.
    if (attempt + 1 == most_attempts) pseudonym += "-" + std::to_string(entries_.size());
  }
  take({std::move(original), pseudonym, is_text});
  return pseudonym;
}

std::string Pseudonyms::of_text(std::string_view original) {
  if (!has_character(original)) return std::string(original);
  const std::string folded = base::fold(original);
  const KeyedBits keyed = bits();
  const std::string made = assign(std::string(original), true, false, [&](unsigned attempt) {
    Draws draws(keyed, "text " + std::to_string(attempt) + " " + folded);
    return shaped_like(folded, draws);
  });
  if (!frozen_) note_spelling(original);
  return in_case_of(made, original);
}

std::string Pseudonyms::of_mail(std::string_view original) {
  const std::string folded = base::fold(original);
  const std::size_t at = folded.rfind('@');
  const std::string_view name = original.substr(0, at);
  const KeyedBits keyed = bits();
  const std::string made = assign(std::string(original), false, false, [&](unsigned attempt) {
    if (attempt == 0) return (is_common(name) ? base::fold(name) : base::fold(of_text(name))) + "@example.org";
    Draws draws(keyed, "mail " + std::to_string(attempt) + " " + folded);
    return shaped_like(folded.substr(0, at), draws) + "@example.org";
  });
  if (made == folded) return std::string(original);
  return in_case_of(made.substr(0, made.find('@')), name) + "@example.org";
}

std::string Pseudonyms::of_position(std::string_view original) {
  const KeyedBits keyed = bits();
  const std::string whole(original);
  return assign(whole, false, false, [&](unsigned attempt) {
    Draws draws(keyed, "position " + std::to_string(attempt) + " " + whole);
    const std::size_t begin = whole.find_first_of("0123456789");
    const std::size_t end = std::min(whole.find_first_not_of("0123456789", begin), whole.size());
    // The result is a valid latitude and a valid longitude.
    const std::size_t digits = end - begin;
    std::string made = whole.substr(0, begin);
    made += std::to_string(digits == 1   ? 1 + draws.below(9)
                           : digits == 2 ? 10 + draws.below(80)
                                         : 100 + draws.below(80));
    for (const char c : whole.substr(end)) made += base::is_digit(c) ? static_cast<char>('0' + draws.below(10)) : c;
    return made;
  });
}

std::optional<std::string> Pseudonyms::of_ipv4(std::string_view original) {
  const auto address = parse_ipv4(original);
  if (!address || is_nobodys(*address)) return std::nullopt;
  const KeyedBits keyed = bits();
  return assign(std::string(original), false, true, [&](unsigned attempt) {
    const auto within = permuted(*address, keyed);
    return written(within && attempt == 0 ? *within : stand_in(*address, attempt, keyed));
  });
}

std::optional<std::string> Pseudonyms::of_ipv6(std::string_view original) {
  const auto address = parse_ipv6(original);
  if (!address || is_nobodys(*address)) return std::nullopt;
  const KeyedBits keyed = bits();
  const std::string made = assign(written(*address, "::"), false, true, [&](unsigned attempt) {
    const auto within = permuted(*address, keyed);
    return written(within && attempt == 0 ? *within : stand_in(*address, attempt, keyed), "::");
  });
  return written(*parse_ipv6(made), original);
}

std::optional<std::string> Pseudonyms::of_mac(std::string_view original) {
  constexpr std::string_view form = "00:00:00:00:00:00";
  const auto address = parse_mac(original);
  if (!address || is_nobodys(*address)) return std::nullopt;
  const KeyedBits keyed = bits();
  const std::string made = assign(written(*address, form), false, false,
                                  [&](unsigned attempt) { return written(stand_in(*address, attempt, keyed), form); });
  return written(*parse_mac(made), original);
}

std::optional<std::size_t> Pseudonyms::index_of_pseudonym(std::string_view text) const {
  std::string spelled = base::fold(text);
  if (const auto mac = parse_mac(text)) spelled = written(*mac, "00:00:00:00:00:00");
  if (const auto ipv6 = parse_ipv6(text)) spelled = written(*ipv6, "::");
  auto found = by_pseudonym_.find(spelled);
  if (found == by_pseudonym_.end()) found = by_pseudonym_.find(base::fold(text));
  return found == by_pseudonym_.end() ? std::nullopt : std::optional(found->second);
}

std::string Pseudonyms::original(std::size_t place, std::string_view like) const {
  const std::string& text = entries_.at(place).original;
  if (in_case_of(entries_.at(place).pseudonym, text) == like) return text;
  if (const auto mac = parse_mac(text); mac && parse_mac(like)) return written(*mac, like);
  if (const auto ipv6 = parse_ipv6(text); ipv6 && parse_ipv6(like)) return written(*ipv6, like);
  return in_case_of(base::fold(text), like);
}

}  // namespace tapedeck::scrubbers
