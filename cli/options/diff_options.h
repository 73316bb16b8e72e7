#pragma once
// Defines the options of every command that reports differences.

#include <string>
#include <vector>

namespace tapedeck::cli {

class Command;

struct DiffViewOptions {
  std::vector<std::string> ignored;
  bool noise = false;
  bool json = false;
  bool markdown = false;
};

/// Adds --noise, --ignore, --json, and --markdown.
void add_diff_view_options(Command& command, DiffViewOptions& options);
/// Throws UsageError if a path to ignore is not a JSON pointer.
void check(const DiffViewOptions& options);
}  // namespace tapedeck::cli
