#pragma once
// Counts the calls, errors, sizes, and times of cassettes by API, for `tapedeck info --calls`.

#include <string>
#include <vector>

#include "tools/selection.h"

namespace tapedeck::cli {

/// Prints the figures of the selected interactions of all cassettes together, as a table or as JSON.
void print_call_counts(const std::vector<std::string>& cassettes, const tools::Selection& selection, bool json);

}  // namespace tapedeck::cli
