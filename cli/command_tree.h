#pragma once
// The tree of all commands with their options.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// `trailing` are the words after the first "--" of a command that runs another one. With `only` the tree has that
/// command alone: setting up the options of all commands takes longer than starting a server.
[[nodiscard]] std::unique_ptr<Command> command_tree(const std::vector<std::string>& trailing,
                                                    std::string_view only = {});
/// True for commands that run the command that follows "--".
[[nodiscard]] bool runs_a_command(std::string_view name);
/// Names of all commands, in the order of the help.
[[nodiscard]] std::vector<std::string> command_names();

}  // namespace tapedeck::cli
