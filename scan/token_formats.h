#pragma once
// Recognizes tokens in published formats of services that network storage devices use. Each format names the public
// page that documents it.

#include <cstddef>
#include <span>
#include <string_view>

namespace tapedeck::scan {

enum class TokenAlphabet {
  alnum,      ///< letters and digits
  hex,        ///< hex digits in lower case
  upper,      ///< capitals and digits
  base64url,  ///< letters, digits, `_`, `-`
  dotted,     ///< base64url and `.`
};

struct TokenFormat {
  std::string_view rule;    ///< "token:github-classic"
  std::string_view prefix;  ///< the beginning of every token
  TokenAlphabet alphabet;   ///< alphabet of the characters after the prefix
  std::size_t least, most;  ///< the number of these characters
  std::string_view source;  ///< the public page
};
[[nodiscard]] std::span<const TokenFormat> token_formats();

/// Returns the token in this format that begins at `at`, or an empty view. After the prefix, a token has the right
/// length, at least seven different characters (so that it is not an example), and both digits and other characters.
[[nodiscard]] std::string_view token_at(std::string_view text, std::size_t at, const TokenFormat& format);

}  // namespace tapedeck::scan
