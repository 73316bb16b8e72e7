#pragma once
// Defines the filters of `ls`, for every command that selects part of a cassette.

#include <string>
#include <vector>

#include "cli/arguments/command.h"
#include "tools/selection.h"

namespace tapedeck::cli {

/// Adds --api, --method, --scope, --take, --outcome, --status, and --since.
void add_selection_options(Command& command, tools::Selection& selection);
/// Accepts a scope, and stores its name without the run. The empty text selects recordings without a scope.
[[nodiscard]] Destination stored_scopes_into(std::vector<std::string>& scopes);

}  // namespace tapedeck::cli
