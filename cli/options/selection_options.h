#pragma once
// The filters of `ls`, for every command that takes a part of a cassette.

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

/// --api, --method, --scope, --take, --outcome, --status, --since, --until.
void add_selection_options(Command& command, SelectionOptions& options);
/// Throws UsageError for what cannot be read.
[[nodiscard]] tools::Selection selection_of(const SelectionOptions& options);
/// The name of a scope as --scope spells it, without its run; empty: what was recorded without one. Throws UsageError.
[[nodiscard]] std::string stored_scope(const std::string& spelled);

}  // namespace tapedeck::cli
