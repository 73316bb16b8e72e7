#pragma once
// The texts of --help and --help-all, wrapped to the terminal.

#include <string>
#include <string_view>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// The text of --help: the common options and examples. `width` in columns; less than 60 counts as 60.
[[nodiscard]] std::string short_help(const Command& command, std::size_t width);
/// The text of --help-all: all options by group.
[[nodiscard]] std::string full_help(const Command& command, std::size_t width);
/// "tapedeck record [OPTIONS] --device URL CASSETTE".
[[nodiscard]] std::string usage_of(const Command& command);

/// "--head-limit SIZE", "-h,--help", "CASSETTE ...".
[[nodiscard]] std::string option_name(const Option& option);
/// The help of an option, followed by "(repeatable)" and "[default: 64 KiB]" where they apply.
[[nodiscard]] std::string option_text(const Option& option, bool with_default = true);
/// "Cannot be used with --body, --curl.", or nothing.
[[nodiscard]] std::string exclusion_text(const Command& command, const Option& option);
/// Breaks `text` at spaces into lines of at most `width`, except for longer words. Indents all lines but the first.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace tapedeck::cli
