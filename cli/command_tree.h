#pragma once
// The tree of all commands with their options.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// `trailing` are the words after the first "--" of exec. With `only` the tree has that command alone: setting up the
/// options of all commands takes longer than starting a server.
[[nodiscard]] std::unique_ptr<Command> command_tree(std::vector<std::string> trailing, std::string_view only = {});
/// Names of all commands, in the order of the help.
[[nodiscard]] std::vector<std::string> command_names();

}  // namespace tapedeck::cli
