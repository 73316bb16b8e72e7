#pragma once
// Generates docs/reference.md from the tree of commands, so that it agrees with --help.

#include <string>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Returns Markdown: every command by its group, with all its arguments and options.
[[nodiscard]] std::string reference_page(const Command& program);

/// Returns the exit statuses (cli/app.h), each with a description of when a command ends with it.
[[nodiscard]] const std::vector<std::pair<int, const char*>>& exit_statuses();

}  // namespace tapedeck::cli
