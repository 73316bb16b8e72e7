#pragma once
// Running a command with nothing of it left behind.

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/running/command_guard.h"

namespace tapedeck::cli {

/// To be made before the first thread is started and before anything is opened: from then on the signals that it waits
/// for are blocked in every thread, and what is opened later is closed to the command.
class ChildRunner {
 public:
  struct Ended {
    bool has_run = false;
    int status = 0;
  };

  ChildRunner();

  /// Runs `command` (found through PATH) with `environment` added to ours and every TAPEDECK_DEVICE_… taken out,
  /// forwards SIGINT, SIGTERM and SIGHUP to it (not those that a terminal has already sent to the whole group), waits
  /// for its end, and then ends what it left running, processes of other sessions too: SIGTERM, two seconds, SIGKILL.
  /// If this process is killed instead, the command is ended by a guard: with its process group, unless there is a
  /// terminal, whose Ctrl-C goes to the group of both. Returns the command's exit status, 128 + N when signal N ended
  /// it; of one that has not run 127 when it was not found, 126 when it cannot be run, which is said then. For the main
  /// thread.
  [[nodiscard]] Ended run(const std::vector<std::string>& command,
                          const std::vector<std::pair<std::string, std::string>>& environment) const;

 private:
  std::unique_ptr<CommandGuard> guard_;
  std::set<int> inherited_;  ///< open when we were started: pipes of a shell or of make are the command's, too
};

}  // namespace tapedeck::cli
