#pragma once
// The options of every command that says what differs.

#include <string>
#include <vector>

#include "cli/reports/diff_report.h"

namespace tapedeck::cli {

class Command;

struct DiffViewOptions {
  std::vector<std::string> ignored;
  bool noise = false;
  bool json = false;
  bool markdown = false;
};

/// --noise, --ignore, --json, --markdown.
void add_diff_view_options(Command& command, DiffViewOptions& options);
/// Throws UsageError for a path that is no JSON pointer.
void check(const DiffViewOptions& options);
[[nodiscard]] DiffForm form_of(const DiffViewOptions& options);

}  // namespace tapedeck::cli
