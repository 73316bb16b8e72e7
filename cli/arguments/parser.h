#pragma once
// Reads a command line by the data of command.h.

#include <string>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

struct Parsed {
  const Command* command = nullptr;  ///< the innermost that was named
  enum class Help { none, common, all } help = Help::none;
};

/// Parses `words`, the command line without the program's name, and stores the values in the destinations of `program`.
/// With --help or --help-all nothing is checked or stored. Throws UsageError.
[[nodiscard]] Parsed parse(const Command& program, std::vector<std::string> words);

}  // namespace tapedeck::cli
