#pragma once
// Computes shell completions.

#include <string>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Returns the completions for the last of `words`, one a line: a word, a tab, and a description. `words` are those
/// after the program's name, and the last one may be empty. Two lines are instructions for the shell script instead:
/// ":files" requests file names, and ":command N" requests the completions of the program that word N of the command
/// line names, where word 0 is Tapedeck itself.
[[nodiscard]] std::string completions(const Command& program, const std::vector<std::string>& words);

}  // namespace tapedeck::cli
