#pragma once
// docs/reference.md out of the tree of commands, so that it says what --help says.

#include <string>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Markdown: every command by its group, with all its arguments and options.
[[nodiscard]] std::string reference_page(const Command& program);

/// Exit statuses (cli/app.h), and when a command ends with them.
[[nodiscard]] const std::vector<std::pair<int, const char*>>& exit_statuses();

}  // namespace tapedeck::cli
