#pragma once
// Names that end in the word of a secret, however they are written: MYSQL_ROOT_PASSWORD, smtpPasswd, user[pin],
// x-api-key. Compared without case, `_`, `-`, `.`, brackets and digits behind. The longest ending wins, so that an
// exception ("compass") is told as an ending too.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "base/text_hash.h"

namespace tapedeck::scrubbers {

/// A name taken apart: its letters and digits without case, and where in them words begin.
class FoldedName {
 public:
  static constexpr std::size_t longest = 64;  ///< of a longer name its last characters count

  explicit FoldedName(std::string_view name);
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }
  /// A word begins at `at`: behind a separator, a digit or a lower-case letter before a capital.
  [[nodiscard]] bool begins_word(std::size_t at) const { return at == 0 || (begins_ >> at & 1) != 0; }

 private:
  std::array<char, longest> text_{};
  std::size_t size_ = 0;
  std::uint64_t begins_ = 0;
};

/// Which last five bytes names have, letters without case: 8 kB that stay in the first-level cache.
class TailFilter {
 public:
  static constexpr std::size_t length = 3;  ///< of the shortest name and ending

  /// Names that end in `ending`, whatever stands in front of it and wherever a separator splits it up.
  void add_ending(std::string_view ending);
  /// That name alone.
  void add_name(std::string_view name);
  /// False for most names that were not added. `name` has at least `length` bytes.
  [[nodiscard]] bool has(std::string_view name) const {
    const char* const end = name.data() + name.size();
    const Before& before = before_[slot_before(end)];
    const auto allows = [&](std::uint32_t places_before, std::size_t back) {
      return (places_before >> (name.size() < back ? 0 : place_of(*(end - back))) & 1) != 0;
    };
    return allows(before.fourth, 4) && allows(before.fifth, 5);
  }

 private:
  /// What stands before the last three bytes: the bit of a letter's place in the alphabet, the lowest for all else.
  struct Before {
    std::uint32_t fourth = 0, fifth = 0;
  };
  static constexpr std::size_t slots = 1024;
  static constexpr std::array<std::uint8_t, 256> places = [] {
    std::array<std::uint8_t, 256> all{};
    for (std::uint8_t place = 1; place <= 26; ++place) all['a' - 1u + place] = all['A' - 1u + place] = place;
    return all;
  }();
  static constexpr unsigned place_of(char c) { return places[static_cast<std::uint8_t>(c)]; }

  /// The bit of the byte that is `back` bytes before the end of `text`, `absent` where the text begins behind it.
  static constexpr std::uint32_t bit(std::string_view text, std::size_t back, std::uint32_t absent) {
    return back > text.size() ? absent : 1u << place_of(text[text.size() - back]);
  }
  static constexpr std::size_t slot_before(const char* end) {
    // Five bits are the same for both cases of a letter.
    const auto code = [end](int back) { return static_cast<std::uint8_t>(end[-back]) & 31u; };
    return (code(1) | code(2) << 5 | code(3) << 10) * 0x9E3779B1u >> 22;
  }
  void add(std::string_view last_three, Before before);

  std::array<Before, slots> before_{};
};

class NameEndings {
 public:
  static constexpr int none = -1;
  static constexpr int excepted = -2;
  static constexpr std::size_t shortest = TailFilter::length;

  /// `ending` is folded and without separators; with a `_` in front it must be a word of its own, with a `=` the whole
  /// name.
  void add(std::string_view ending, int index);
  /// False for most names that find() does not have.
  [[nodiscard]] bool may_have(std::string_view name) const {
    if (name.size() < shortest) return false;
    const char last = name.back();
    if (!base::is_letter(last)) return may_end(last);
    return tails_.has(name);
  }
  /// The index of the longest ending, or `none`. `stem` is then where in the folded name it begins.
  [[nodiscard]] int find(const FoldedName& name, std::size_t& stem) const;
  [[nodiscard]] bool empty() const { return endings_.empty(); }
  [[nodiscard]] const TailFilter& tails() const { return tails_; }

 private:
  struct Ending {
    int index = none;
    bool word = false;
    bool whole = false;
  };
  // A name's end may be written in ways that are taken off before it is compared.
  static constexpr bool may_end(char c) { return base::is_digit(c) || c == ']' || c == '_' || c == '-' || c == '*'; }

  TailFilter tails_;
  std::unordered_map<std::string, Ending, base::TextHash, std::equal_to<>> endings_;
  std::uint64_t lengths_ = 0;  ///< which lengths endings have
};

}  // namespace tapedeck::scrubbers
