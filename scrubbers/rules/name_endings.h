#pragma once
// Names that end in the word of a secret, however they are written: MYSQL_ROOT_PASSWORD, smtpPasswd, user[pin],
// x-api-key. Compared without case, `_`, `-`, `.`, brackets and digits behind. The longest ending wins, so that an
// exception ("compass") is told as an ending too.

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

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

/// What a name says that has a known ending.
struct EndingMeaning {
  enum class Kind : std::uint8_t {
    secret,     ///< its value is one, by the rule
    exception,  ///< its value is none although it ends like a secret's
    value,      ///< "value" and the like: another name beside it says what it is
  };
  Kind kind = Kind::secret;
  std::uint16_t rule = 0;
};

class NameEndings {
 public:
  static constexpr std::size_t shortest = 3;

  /// `ending` is folded and without separators; with a `_` in front it must be a word of its own, with a `=` the whole
  /// name. Of two meanings the first one counts.
  void add(std::string_view ending, EndingMeaning meaning);
  /// False for most names that find() does not have.
  [[nodiscard]] bool may_have(std::string_view name) const;
  /// The meaning of the longest ending, or null. `stem` is then where in the folded name it begins.
  [[nodiscard]] const EndingMeaning* find(const FoldedName& name, std::size_t& stem) const;
  [[nodiscard]] bool empty() const { return endings_.empty(); }

 private:
  struct Ending {
    EndingMeaning meaning;
    bool word = false;
    bool whole = false;
  };
  static constexpr unsigned bits_of_letter = 5;

  std::bitset<1u << shortest * bits_of_letter> tails_;  ///< by the last three letters
  std::unordered_map<std::string, Ending, base::TextHash, std::equal_to<>> endings_;
  std::uint64_t lengths_ = 0;  ///< which lengths endings have
};

}  // namespace tapedeck::scrubbers
