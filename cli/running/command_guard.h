#pragma once
// Ends a command even after this process is killed by SIGKILL, with a small watcher process that waits for its end.

#include <sys/types.h>

#include "base/descriptor.h"

namespace tapedeck::cli {

using SendSignal = int (*)(pid_t process, int signal);
/// Ends a process, or with a negative number a process group: SIGTERM, and SIGKILL two seconds later. Sends nothing
/// more once `send` (kill(2)) has failed, because the number may then belong to another process.
void end_command(pid_t command, SendSignal send);

/// Ends a command that this process runs, with SIGTERM and two seconds later with SIGKILL. The watcher is not a child
/// of this process and has none of its files open, so nothing waits for it.
class CommandGuard {
 public:
  /// Starts the watcher. Requires that this process has one thread. Process 1 needs no watcher, because all other
  /// processes end with it.
  CommandGuard();
  ~CommandGuard() { watch(0); }
  CommandGuard(const CommandGuard&) = delete;
  CommandGuard& operator=(const CommandGuard&) = delete;

  /// Sets the process to end: with a negative number the process group, and with 0 none. Set it to 0 before the command
  /// is reaped, because its number is free afterwards.
  void watch(pid_t command) const;

 private:
  base::Descriptor way_;  ///< write end of a pipe; the watcher reads the other end until this process ends
};

}  // namespace tapedeck::cli
