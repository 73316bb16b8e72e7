#pragma once
// What man pages, completions and the reference have in common.

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

/// Its own options, and those of the commands that it has in turn.
[[nodiscard]] std::vector<const Option*> all_options_of(const Command& command);
/// "overlay check": as it is called behind the program's name.
[[nodiscard]] std::string called(const Command& command);

/// (status, when), as cli/app.h has them.
[[nodiscard]] const std::vector<std::pair<int, const char*>>& exit_statuses();

}  // namespace tapedeck::cli
