#pragma once
// All commands with all their options: the one tree that command lines are parsed by, and --help, the man pages and the
// completions are made from.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace tapedeck::cli {

/// `action` is filled when a command line was parsed; it must outlive the tree. `trailing` is what stood behind exec's
/// "--". Help is wrapped to `width` columns. With `only` the tree has that command alone: the options of all of them
/// take longer to set up than a server to start.
[[nodiscard]] std::unique_ptr<CLI::App> command_tree(Action& action, std::vector<std::string> trailing,
                                                     std::size_t width, std::string_view only = {});
/// Of all commands, in the order of `tapedeck --help`.
[[nodiscard]] std::vector<std::string> command_names();

}  // namespace tapedeck::cli
