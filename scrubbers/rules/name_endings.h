#pragma once
// Recognizes names that end like the name of a secret, in any notation: MYSQL_ROOT_PASSWORD, smtpPasswd, user[pin],
// x-api-key. Ignores case, `_`, `-`, `.`, brackets, and trailing digits. The longest ending wins, so exceptions are
// also endings: "compass" ends with "pass", but is not a secret.

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/text_hash.h"

namespace tapedeck::scrubbers {

/// The letters and digits of a name in lower case, and the positions at which its words begin.
class FoldedName {
 public:
  static constexpr std::size_t longest = 64;  ///< only the last characters of a longer name count

  explicit FoldedName(std::string_view name);
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }
  /// Returns true if a word begins at `at`: after a separator or a digit, or at a capital after a lower-case letter.
  [[nodiscard]] bool begins_word(std::size_t at) const { return at == 0 || (begins_ >> at & 1) != 0; }

 private:
  std::array<char, longest> text_{};
  std::size_t size_ = 0;
  std::uint64_t begins_ = 0;
};

/// The meaning of a known ending.
struct EndingMeaning {
  enum class Kind : std::uint8_t {
    secret,     ///< the value is a secret, according to `rule`
    exception,  ///< the value is not a secret, although the name ends like one
    value,      ///< such as "value": another member contains the name
  };
  Kind kind = Kind::secret;
  std::uint16_t rule = 0;
  bool is_plural = false;
};

class NameEndings {
 public:
  static constexpr std::size_t shortest = 3;

  /// Adds an ending in lower case without separators. With a leading `_`, it must be a separate word; with `=`, it must
  /// be the whole name. If the same ending is added twice, its first meaning counts. A name may also continue with how
  /// the value is written or why it is repeated: `password_enc`, `token_b64`, `passwd_again`.
  void add(std::string_view ending, EndingMeaning meaning);
  /// Checks quickly whether find() is needed. If it returns false, find() would return null.
  [[nodiscard]] bool may_have(std::string_view name) const;
  /// Returns the meaning of the longest known ending and sets `stem` to where it begins in `name`, or returns null.
  [[nodiscard]] const EndingMeaning* find(const FoldedName& name, std::size_t& stem) const;
  [[nodiscard]] bool empty() const { return endings_.empty(); }

 private:
  [[nodiscard]] const EndingMeaning* find_at_end(const FoldedName& name, std::size_t size, std::size_t& stem) const;
  struct Ending {
    EndingMeaning meaning;
    bool word = false;
    bool whole = false;
  };
  static constexpr unsigned bits_of_letter = 5;

  std::bitset<1u << shortest * bits_of_letter> tails_;  ///< the last three letters of all endings
  std::unordered_map<std::string, Ending, base::TextHash, std::equal_to<>> endings_;
  std::uint64_t lengths_ = 0;  ///< bit N is set if an ending has N characters
};

}  // namespace tapedeck::scrubbers
