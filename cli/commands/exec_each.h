#pragma once
// `tapedeck exec --each`: one command, many cassettes.

#include <string>
#include <vector>

#include "cli/options/replay_options.h"

namespace tapedeck::cli {

class ReportFile;

struct EachOptions {
  std::vector<std::string> patterns;  ///< --each
  std::string junit;
};

/// Runs the command once for each cassette whose path fits, in their order, and says what became of it. Returns the
/// exit status: 3 if one fails.
[[nodiscard]] int exec_each(const ReplayCommandOptions& replay, const EachOptions& each,
                            const std::vector<std::string>& command, const ReportFile& file);

}  // namespace tapedeck::cli
