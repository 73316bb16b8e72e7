#pragma once
// Defines the tree of all commands with their options.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Builds the tree. If `only` is given, it contains that command alone, because setting up the options of all commands
/// takes longer than starting a server.
[[nodiscard]] std::unique_ptr<Command> command_tree(std::string_view only = {});
/// Returns the names of all commands, in the order of the help.
[[nodiscard]] std::vector<std::string> command_names();

}  // namespace tapedeck::cli
