#pragma once
// Runs a command and ends every process that it leaves behind.

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/running/command_guard.h"

namespace tapedeck::cli {

/// Runs commands. Create it before the first thread starts, because it blocks the signals that it waits for in every
/// thread.
class ChildRunner {
 public:
  struct Ended {
    bool has_run = false;
    int status = 0;
    bool got_signal = false;  ///< this process was told to end while the command ran
  };
  /// The command inherits the descriptors that are open now; all others are closed.
  ChildRunner();

  /// Runs `command`, which is found through PATH. Adds `environment` to the environment. Forwards SIGINT, SIGTERM, and
  /// SIGHUP, except signals that a terminal already sent to the whole group. Waits for the command, and then ends all
  /// processes that it left running, including those in other sessions: SIGTERM, and SIGKILL two seconds later. If this
  /// process is killed, a guard ends the command and its process group; on a terminal, the command shares the group of
  /// this process, so that Ctrl-C reaches both, and only the command itself is ended.
  ///
  /// Returns the command's exit status, 128 + N if signal N ended it, 127 if it was not found, and 126 if it cannot be
  /// run; the last two print a message. Call it on the main thread.
  [[nodiscard]] Ended run(const std::vector<std::string>& command,
                          const std::vector<std::pair<std::string, std::string>>& environment) const;

 private:
  std::unique_ptr<CommandGuard> guard_;
  std::set<int> inherited_;  ///< other descriptors that the command gets, such as pipes of a shell or of make
};

}  // namespace tapedeck::cli
