#pragma once
// UTF-8 as strict as Unicode (table 3-7): no overlong forms, no surrogates, nothing beyond U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::base {

struct Utf8Front {
  char32_t code_point = 0;
  std::size_t length = 0;  ///< in bytes, 1 to 4; 0 if the text does not begin with a character
};

/// Returns the first character of a nonempty text.
[[nodiscard]] Utf8Front utf8_front(std::string_view text);
/// Writes 1 to 4 bytes and returns their number. A single surrogate becomes the three bytes of its number.
std::size_t put_utf8(std::uint32_t code_point, char* out);
/// Returns UTF-8 text as UTF-16. A byte that is not UTF-8 becomes the character with the same number.
[[nodiscard]] std::string to_utf16(std::string_view text, bool big_endian = false);
/// Returns true if all of it is UTF-8, also for an empty text.
[[nodiscard]] bool is_utf8(std::string_view bytes);

/// Returns true for characters that must not be printed as they are: controls (C0, DEL, C1), line and paragraph
/// separators, and marks that change the writing direction.
[[nodiscard]] bool turns_or_breaks(char32_t point);

/// Returns `text` for a terminal or a line of a log: bytes that are not UTF-8, and characters that must not be printed,
/// become \xHH, byte by byte. A backslash is not doubled. `keep_lines`: keep line breaks and tabs.
[[nodiscard]] std::string printable(std::string_view text, bool keep_lines = false);
/// Returns a JSON or TOML text in which the same characters are escaped as \uXXXX. Line breaks and tabs outside of
/// strings stay. `text` must be UTF-8, and the ASCII controls in its strings must be escaped already.
[[nodiscard]] std::string printable_json(std::string text);

/// Returns the beginning of a text, at most `most` bytes, without splitting a character.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t most);
/// Returns the same, followed by an ellipsis if something is left out.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace tapedeck::base
