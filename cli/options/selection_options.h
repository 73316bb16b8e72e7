#pragma once
// Defines the filters of `ls`, for every command that selects part of a cassette.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/selection.h"

namespace tapedeck::cli {

class Command;

struct SelectionOptions {
  std::vector<std::string> apis, methods, scopes, outcomes, statuses;
  std::vector<std::uint32_t> takes;
  std::string since, until;
};

/// Adds --api, --method, --scope, --take, --outcome, --status, --since, and --until.
void add_selection_options(Command& command, SelectionOptions& options);
/// Parses the filters. Throws UsageError for a value that is not valid.
[[nodiscard]] tools::Selection selection_of(const SelectionOptions& options);
/// Parses the value of --scope and returns the scope's stored name without its run. The result is empty for recordings
/// without a scope. Throws UsageError.
[[nodiscard]] std::string stored_scope(const std::string& spelled);

}  // namespace tapedeck::cli
