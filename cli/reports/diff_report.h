#pragma once
// Prints the differences between two cassettes.

#include <string>
#include <vector>

#include "tools/diff/cassette_diff.h"

namespace tapedeck::cli {

class Command;

/// The options of every command that reports differences.
struct DiffViewOptions {
  std::vector<std::string> ignored;
  bool noise = false;
  bool json = false;
};

/// Adds --noise, --ignore, and --json.
void add_diff_view_options(Command& command, DiffViewOptions& options);
/// Throws UsageError if a path to ignore is not a JSON pointer.
void check(const DiffViewOptions& options);

/// Calls tools::diff() and shows its progress on a terminal. Throws std::runtime_error if a signal stops it.
[[nodiscard]] tools::DiffResult compared(const cassettes::CassetteReader& before,
                                         const cassettes::CassetteReader& after, tools::DiffOptions how);

/// Prints the differences on standard output.
void print_diff(const tools::DiffResult& result, const DiffViewOptions& view);

}  // namespace tapedeck::cli
