#pragma once
// Converts recorded bytes for formats that contain only Unicode text.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// Returns true for UTF-8 without control characters except line ends and tabs, which editors and shells can handle.
[[nodiscard]] bool is_plain_text(std::string_view bytes);
/// Returns the text with U+FFFD in place of bytes that are not UTF-8.
[[nodiscard]] std::string readable(std::string_view bytes);

/// Returns nothing if the text is not base64. Line ends in it are skipped.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

/// Escapes text for one line. Controls, bytes that are not UTF-8, and characters that change the writing direction
/// become `\xHH` for each byte. A backslash is doubled, and a space at the end becomes `\x20`.
[[nodiscard]] std::string escape_line(std::string_view bytes);
/// Escapes text for one word, like escape_line(), and also escapes all spaces.
[[nodiscard]] std::string escape_word(std::string_view bytes);
/// Returns the number of `\xHH` that escape_line() would write.
[[nodiscard]] std::size_t escapes_in(std::string_view bytes);

/// Percent-encodes the characters for which `stays` returns false.
[[nodiscard]] std::string percent_encoded(std::string_view text, bool (*stays)(char c));

}  // namespace tapedeck::tools
