#pragma once
// Running a command with nothing of it left behind.

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/running/command_guard.h"

namespace tapedeck::cli {

/// Returns the numbers of the files that are open.
[[nodiscard]] std::set<int> open_files();

/// To be made before the first thread is started: from then on the signals that it waits for are blocked in every
/// thread.
class ChildRunner {
 public:
  struct Ended {
    bool has_run = false;
    int status = 0;
    bool is_late = false;  ///< it was ended by Unattended::limit
  };
  /// A command that nobody looks after: its input is empty, and it is ended two seconds after a signal.
  struct Unattended {
    std::optional<std::chrono::milliseconds> limit;  ///< it is ended when it takes longer
    int output = -1;                                 ///< the file for its output and its errors
  };

  /// What is not among the `inherited` files is closed to the command; they are those that are open now if they are not
  /// given.
  explicit ChildRunner(std::set<int> inherited = open_files());

  /// Runs `command` (found through PATH) with `environment` added to ours and every TAPEDECK_DEVICE_… taken out,
  /// forwards SIGINT, SIGTERM and SIGHUP to it (not those that a terminal has already sent to the whole group), waits
  /// for its end, and then ends what it left running, processes of other sessions too: SIGTERM, two seconds, SIGKILL.
  /// If this process is killed instead, the command is ended by a guard: with its process group, unless there is a
  /// terminal, whose Ctrl-C goes to the group of both. Returns the command's exit status, 128 + N when signal N ended
  /// it; of one that has not run 127 when it was not found, 126 when it cannot be run, which is said then. For the main
  /// thread.
  [[nodiscard]] Ended run(const std::vector<std::string>& command,
                          const std::vector<std::pair<std::string, std::string>>& environment,
                          const std::optional<Unattended>& unattended = std::nullopt) const;

 private:
  std::unique_ptr<CommandGuard> guard_;
  std::set<int> inherited_;  ///< pipes of a shell or of make are the command's, too
};

}  // namespace tapedeck::cli
