#pragma once
// UTF-8 as strictly as Unicode has it (table 3-7): no overlong forms, no surrogates, nothing beyond U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::base {

struct Utf8Front {
  char32_t code_point = 0;
  std::size_t length = 0;  ///< in bytes, 1 to 4; 0 when the text does not begin with a character
};

/// The first character of a text that is not empty.
[[nodiscard]] Utf8Front utf8_front(std::string_view text);
/// Writes 1 to 4 bytes and returns how many. A lone surrogate becomes the three bytes that its number would be.
std::size_t put_utf8(std::uint32_t code_point, char* out);
/// All of it; an empty text is.
[[nodiscard]] bool is_utf8(std::string_view bytes);

/// What must not go to a terminal or into a line as it is: controls (C0, DEL, C1), line and paragraph separators, and
/// the marks that turn the writing direction.
[[nodiscard]] bool turns_or_breaks(char32_t point);

/// Returns `text` for a terminal or a line of a log: bytes that are not UTF-8, and characters that must not go there as
/// they are, stand as \xHH, byte for byte. A backslash stays one. `keep_lines`: line breaks and tabs stay, too.
[[nodiscard]] std::string printable(std::string_view text, bool keep_lines = false);
/// Returns a JSON or TOML text in which the same characters are escaped as \uXXXX. Line breaks and tabs outside of
/// strings stay. `text` must be UTF-8, and the ASCII controls in its strings must be escaped already.
[[nodiscard]] std::string printable_json(std::string text);

/// The beginning of a text: at most `most` bytes, and no part of a character.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t most);
/// That, with an ellipsis behind it where something is left out.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace tapedeck::base
