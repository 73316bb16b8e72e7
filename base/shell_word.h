#pragma once
// Texts as words of a POSIX shell.

#include <string>
#include <string_view>

namespace tapedeck::base {

/// What stands for `text` between single quotes.
[[nodiscard]] std::string within_quotes(std::string_view text);
/// One word, in single quotes.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace tapedeck::base
