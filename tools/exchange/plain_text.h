#pragma once
// Recorded bytes where a form has Unicode text alone.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// UTF-8 that an editor and a shell take: no controls but line ends and tabs.
[[nodiscard]] bool is_plain_text(std::string_view bytes);
/// Bytes that are no UTF-8 as U+FFFD.
[[nodiscard]] std::string readable(std::string_view bytes);

/// Returns nothing if the text is not base64. Line ends in it are skipped.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

/// Controls, bytes that are not UTF-8, and characters that turn the writing direction become `\xHH`, byte for byte; a
/// backslash becomes two, a blank at the end `\x20`. Everything else stands as it is.
[[nodiscard]] std::string escape_line(std::string_view bytes);
/// The same, with blanks escaped as well: for a word between blanks.
[[nodiscard]] std::string escape_word(std::string_view bytes);
/// The inverse of both; nothing for a broken escape.
[[nodiscard]] std::optional<std::string> unescape_line(std::string_view text);
/// How many bytes escape_line() would write as `\xHH`.
[[nodiscard]] std::size_t escapes_in(std::string_view bytes);

/// Percent-encodes the characters that `stays` refuses.
[[nodiscard]] std::string percent_encoded(std::string_view text, bool (*stays)(char c));

}  // namespace tapedeck::tools
