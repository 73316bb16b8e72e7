#pragma once
// Running a command with nothing of it left behind.

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tapedeck::cli {

/// Blocks the signals that ChildProcess waits for. To be called before the first thread is started, so that they all
/// inherit it.
void block_child_signals();

/// Runs `command` (found through PATH) with `environment` added to ours, forwards SIGINT, SIGTERM and SIGHUP to it (not
/// those that a terminal has already sent to the whole group), waits for its end, and then ends what it left running:
/// SIGTERM, two seconds, SIGKILL. Returns its exit status, 128 + N when signal N ended it, 127 when it was not found.
[[nodiscard]] int run_child(const std::vector<std::string>& command,
                            const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace tapedeck::cli
