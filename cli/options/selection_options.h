#pragma once
// Defines the filters of `ls`, for every command that selects part of a cassette.

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/command.h"
#include "tools/selection.h"

namespace tapedeck::cli {

/// Adds --call, --scope, --take, --outcome, --status, and --since.
void add_selection_options(Command& command, tools::Selection& selection);
/// Parses a pattern of calls: "Core.Share/list" for any version, "Core.Share" or "Core.*" for any method, or a whole
/// one as in overlays, "Core.Share/1/list".
[[nodiscard]] std::optional<tools::CallFilter> calls_named(const std::string& text);
/// Accepts a scope, and stores its name without the run. The empty text selects recordings without a scope.
[[nodiscard]] Destination stored_scopes_into(std::vector<std::string>& scopes);

}  // namespace tapedeck::cli
