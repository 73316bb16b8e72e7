#pragma once
// Describes how a value is encoded in a text, so that another value can be written in its place.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

/// One encoding of a text. For those that end in `_any`, the writer chose freely which characters to escape.
enum class Form : std::uint8_t {
  percent,        ///< all but RFC 3986 unreserved, digits in upper case
  percent_lower,  ///< the same in lower case
  form,           ///< WHATWG urlencoded: space is '+'
  form_lower,
  percent_all,  ///< every byte
  percent_all_lower,
  percent_any,
  json,        ///< inside of a JSON string
  json_slash,  ///< the same with '/' escaped
  json_ascii,  ///< the same with characters beyond ASCII as \uXXXX
  json_slash_ascii,
  json_unicode,  ///< every character as \uXXXX
  json_any,
  html,          ///< & < > " ' as entities
  html_decimal,  ///< every character as &#N;
  html_hex,      ///< every character as &#xH;
  html_any,
  hex,
  upper_hex,
  spaced_hex,
  upper_spaced_hex,
  utf16le,
  base64,
  base64url,
};

/// A form, and for base64 the place of the value: the characters that have any bit of the value, which begins `before`
/// bytes (0 to 2) into a group of three. `left` and `right` are the neighbors' bits in the first and the last
/// character (0 where a neighbor has none).
struct EncodingStep {
  Form form = Form::percent;
  std::uint8_t before = 0, left = 0, right = 0;
  auto operator<=>(const EncodingStep&) const = default;
};

/// Nested encodings, outermost first. Empty for a value that is not encoded.
using Encoding = std::vector<EncodingStep>;

/// Returns "json>percent-all" or "base64:1:2:0", as cassettes store it; empty for no encoding.
[[nodiscard]] std::string to_string(const Encoding& encoding);
/// Parses the result of to_string(). Returns nothing for an unknown form.
[[nodiscard]] std::optional<Encoding> parse_encoding(std::string_view text);

/// Returns `value` in an encoding. For the redacted value, the result is exactly its recorded bytes, except with a free
/// choice of escapes, where the result is only a valid encoding.
[[nodiscard]] std::string encode(std::string_view value, const Encoding& encoding);

/// Returns two hex digits for each byte, with a space between two bytes if `spaced`.
[[nodiscard]] std::string hex_form(std::string_view value, bool upper, bool spaced);

/// Returns true if the number of bytes before a value changes its encoded characters.
[[nodiscard]] bool has_base64(const Encoding& encoding);
/// Returns an encoding inside of another one.
[[nodiscard]] Encoding nested(Encoding outer, const Encoding& inner);

}  // namespace tapedeck::scrubbers
