#pragma once
// Man pages out of the tree of commands, so that they say what --help says.

#include <string>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// tapedeck(1): all commands by their groups.
[[nodiscard]] std::string man_page(const Command& program);
/// tapedeck-record(1) and the others: one command with all its options.
[[nodiscard]] std::string man_page_of_command(const Command& command);

}  // namespace tapedeck::cli
