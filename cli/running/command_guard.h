#pragma once
// A command does not outlive the `exec` that runs it, even if that is killed by SIGKILL.

#include <sys/types.h>

#include "base/descriptor.h"

namespace tapedeck::cli {

/// A small process that waits for the end of this one, and then ends the command: SIGTERM, two seconds, SIGKILL. It is
/// not a child of this process and holds none of its files, so that nobody waits for it.
class CommandGuard {
 public:
  /// Requires that there is one thread. A process 1 needs no guard: all others die with it.
  CommandGuard();
  ~CommandGuard() { dismiss(); }
  CommandGuard(const CommandGuard&) = delete;
  CommandGuard& operator=(const CommandGuard&) = delete;

  /// A process, or with a negative number a process group.
  void watch(pid_t command) const;
  /// The command has ended: the guard goes.
  void dismiss();

 private:
  base::Descriptor way_;  ///< a pipe; the guard sees its end when this process has gone
};

}  // namespace tapedeck::cli
