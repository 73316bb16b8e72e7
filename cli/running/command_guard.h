#pragma once
// What is cleaned up even if this process is killed by SIGKILL: a small process waits for the end of this one.

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/private_folder.h"

namespace tapedeck::cli {

/// Ends a command that this process runs: SIGTERM, two seconds, SIGKILL. The small process is not a child of this one and
/// holds none of its files, so that nobody waits for it.
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

/// A private folder for files that runs of a command need. It goes with the object, and also when this process is killed.
class TemporaryFolder {
 public:
  /// Requires that there is one thread.
  TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] std::string file(std::string_view name) const { return folder_.file(name); }

 private:
  base::PrivateFolder folder_;
  base::Descriptor way_;  ///< a pipe, as the guard's
};

}  // namespace tapedeck::cli
