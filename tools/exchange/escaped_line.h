#pragma once
// Any bytes on one line of a text that people read, and back.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// Controls, bytes that are not UTF-8, and characters that turn the writing direction become `\xHH`, byte for byte; a
/// backslash becomes two, a blank at the end `\x20`. Everything else stands as it is.
[[nodiscard]] std::string escape_line(std::string_view bytes);
/// The same, with blanks escaped as well: for a word between blanks.
[[nodiscard]] std::string escape_word(std::string_view bytes);
/// The inverse of both; nothing for a broken escape.
[[nodiscard]] std::optional<std::string> unescape_line(std::string_view text);
/// How many bytes escape_line() would write as `\xHH`.
[[nodiscard]] std::size_t escapes_in(std::string_view bytes);

}  // namespace tapedeck::tools
