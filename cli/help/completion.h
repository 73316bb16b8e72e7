#pragma once
// What the completions of shells ask the program for.

#include <string>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Returns lines for the last of `words`, which follow the program's name and of which the last may be empty: a word and
/// its description with a tab between them. ":files" stands for names of files, and ":command N" for the completion of
/// another program, whose name is the word N of the command line, counted from 0 with our name.
[[nodiscard]] std::string completions(const Command& program, const std::vector<std::string>& words);

}  // namespace tapedeck::cli
