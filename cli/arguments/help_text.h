#pragma once
// Formats the texts of --help and --help-all, wrapped to the width of the terminal.

#include <string>
#include <string_view>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Returns the text of --help: the common options and examples. `width` is in columns, and at least 60 is used.
[[nodiscard]] std::string short_help(const Command& command, std::size_t width);
/// Returns the text of --help-all: all options by group.
[[nodiscard]] std::string full_help(const Command& command, std::size_t width);
/// Returns the usage line, such as "tapedeck record [OPTIONS] --device URL CASSETTE".
[[nodiscard]] std::string usage_of(const Command& command);

/// Returns an option's names with its value, such as "--listen HOST:PORT", "-h,--help", or "CASSETTE ...".
[[nodiscard]] std::string option_name(const Option& option);
/// Returns the help of an option, followed by "(repeatable)" and "[default: 64 KiB]" where they apply.
[[nodiscard]] std::string option_text(const Option& option, bool with_default = true);
/// Returns a sentence such as "Cannot be used with --tls-cert.", or an empty text.
[[nodiscard]] std::string exclusion_text(const Command& command, const Option& option);
/// Breaks `text` at spaces into lines of at most `width` columns; longer words stay whole. Indents all lines but the
/// first.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace tapedeck::cli
