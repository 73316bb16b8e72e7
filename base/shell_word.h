#pragma once
// Quotes texts for a POSIX shell.

#include <string>
#include <string_view>

namespace tapedeck::base {

/// Returns `text` in the form that represents it between single quotes.
[[nodiscard]] std::string within_quotes(std::string_view text);
/// Returns one word in single quotes.
[[nodiscard]] std::string shell_quoted(std::string_view text);
/// Returns one word, in quotes only if it needs them.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace tapedeck::base
