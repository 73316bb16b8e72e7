#pragma once
// Tokens that tell what they are: published formats of services that a network storage device talks to. Data, each with
// the public page that says it.

#include <cstddef>
#include <span>
#include <string_view>

namespace tapedeck::scan {

enum class TokenAlphabet {
  alnum,      ///< letters and digits
  hex,        ///< small hex digits
  upper,      ///< capitals and digits
  base64url,  ///< letters, digits, `_`, `-`
  dotted,     ///< base64url and `.`
};

struct TokenFormat {
  std::string_view rule;    ///< "token:github-classic"
  std::string_view prefix;  ///< with it every token begins
  TokenAlphabet alphabet;   ///< of what follows
  std::size_t least, most;  ///< how many such characters
  std::string_view source;  ///< where the service publishes it
};
[[nodiscard]] std::span<const TokenFormat> token_formats();

/// The token that begins at `at` in the format, or nothing: the length fits, no such character follows, and it is not
/// an example made of one character or two.
[[nodiscard]] std::string_view token_at(std::string_view text, std::size_t at, const TokenFormat& format);

}  // namespace tapedeck::scan
