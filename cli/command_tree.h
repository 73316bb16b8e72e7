#pragma once
// Defines the tree of all commands with their options.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Builds the tree. `trailing` has the words after the first "--" of a command that runs another one. If `only` is
/// given, the tree contains that command alone, because setting up the options of all commands takes longer than
/// starting a server.
[[nodiscard]] std::unique_ptr<Command> command_tree(const std::vector<std::string>& trailing,
                                                    std::string_view only = {});
/// Returns true if the command `name` runs the command line that follows "--".
[[nodiscard]] bool runs_a_command(std::string_view name);
/// Returns the names of all commands, in the order of the help.
[[nodiscard]] std::vector<std::string> command_names();

}  // namespace tapedeck::cli
