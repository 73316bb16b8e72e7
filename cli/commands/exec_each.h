#pragma once
// Implements `tapedeck exec --each`, which runs one command with many cassettes.

#include <string>
#include <vector>

#include "cli/options/replay_options.h"

namespace tapedeck::cli {

class ReportFile;

struct EachOptions {
  std::vector<std::string> patterns;  ///< values of --each
  std::string junit;                  ///< value of --junit
};

/// Runs the command once for each cassette whose path matches, in the order of the paths, and prints the results.
/// Returns the exit status, which is 3 if a run fails.
[[nodiscard]] int exec_each(const ReplayCommandOptions& replay, const EachOptions& each,
                            const std::vector<std::string>& command, const ReportFile& file);

}  // namespace tapedeck::cli
