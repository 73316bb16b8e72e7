#pragma once
// Starts other programs.

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace tapedeck::cli {

struct ProgramStart {
  std::vector<std::string> command;           ///< the program, found through PATH, and its arguments
  std::vector<std::string> environment = {};  ///< NAME=VALUE; empty: the environment of this process
  int input = -1, output = -1, errors = -1;   ///< descriptors; negative: the descriptor of this process
  short group = 0;                            ///< POSIX_SPAWN_SETPGROUP; 0: the process group of this process
};

/// Starts a program with all signals unblocked and with their default actions. Returns 0 and sets `child`, or returns
/// an errno value.
[[nodiscard]] int start_program(ProgramStart start, pid_t& child);

/// Returns the exit status of a process that ended with `wait_status`: 128 + N if signal N ended it.
[[nodiscard]] int exit_status_of(int wait_status);

}  // namespace tapedeck::cli
