#pragma once
// Completions for shells out of the tree of commands: commands, options, words that an option takes, and files.

#include <string>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

[[nodiscard]] std::string bash_completion(const Command& program);
[[nodiscard]] std::string zsh_completion(const Command& program);
[[nodiscard]] std::string fish_completion(const Command& program);

}  // namespace tapedeck::cli
