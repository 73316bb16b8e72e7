#include "cli/running/spawn.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/system.h"

namespace tapedeck::cli {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

int start_program(ProgramStart start, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const std::array given = {start.input, start.output, start.errors};
  for (int standard = 0; standard < 3; ++standard) {
    if (given[standard] >= 0) posix_spawn_file_actions_adddup2(&files, given[standard], standard);
  }
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | start.group));
  const int error =
      posix_spawnp(&child, start.command.front().c_str(), &files, &attributes, pointers(start.command).data(),
                   start.environment.empty() ? environ : pointers(start.environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

int exit_status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace tapedeck::cli
