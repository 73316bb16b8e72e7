#pragma once
// Parses a command line by the description in command.h.

#include <string>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

struct Parsed {
  const Command* command = nullptr;  ///< the innermost command that the command line names
  enum class Help { none, common, all } help = Help::none;
};

/// Parses `words`, the command line without the program's name, and stores the values in the destinations of `program`.
/// With --help or --help-all, checks and stores nothing. Throws UsageError.
[[nodiscard]] Parsed parse(const Command& program, std::vector<std::string> words);

}  // namespace tapedeck::cli
