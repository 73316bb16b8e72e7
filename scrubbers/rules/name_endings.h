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

/// Which last three bytes names have, letters without case: five bits of each, 4 kB that stay in the first-level cache.
class TailFilter {
 public:
  static constexpr std::size_t length = 3;

  /// `name` has at least `length` bytes.
  void add(std::string_view name) { bits_[key_of(name) / 64] |= std::uint64_t{1} << key_of(name) % 64; }
  /// False for most names whose tail no added one has.
  [[nodiscard]] bool has(std::string_view name) const {
    const std::uint32_t key = key_of(name);
    return (bits_[key / 64] >> key % 64 & 1) != 0;
  }

 private:
  static constexpr std::uint32_t key_of(std::string_view name) {
    const char* const end = name.data() + name.size();
    const auto part = [end](int back) {
      return static_cast<std::uint32_t>(static_cast<std::uint8_t>(end[-back])) & 31u;
    };
    return part(1) | part(2) << 5 | part(3) << 10;
  }
  std::array<std::uint64_t, 32768 / 64> bits_{};
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
