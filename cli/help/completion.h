#pragma once
// What the completions of shells ask the program for.

#include <string>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Returns what the shell can offer for the last of `words`, one offer per line: a word, a tab, and a description.
/// `words` are those after the program's name; the last one may be empty. Two lines have another meaning: ":files" asks
/// the shell for file names, and ":command N" for the completion of the program that word N of the command line names.
/// Word 0 is our own name.
[[nodiscard]] std::string completions(const Command& program, const std::vector<std::string>& words);

}  // namespace tapedeck::cli
