#pragma once
// The text of --help, wrapped to the terminal.

#include <string>
#include <string_view>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// `width` in columns; less than 60 counts as 60.
[[nodiscard]] std::string help_text(const Command& command, std::size_t width);

/// "--head-limit SIZE", "-h,--help", "CASSETTE ...".
[[nodiscard]] std::string option_name(const Option& option);
/// The help of an option with what its data says: repeatable, exclusions, and default, as in "… [64 KiB]".
[[nodiscard]] std::string option_text(const Command& command, const Option& option, bool with_default = true);
/// Breaks `text` at spaces into lines of at most `width`, except for longer words. Indents all lines but the first.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace tapedeck::cli
