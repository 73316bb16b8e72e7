#include "cli/running/temporary_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace tapedeck::cli {
namespace {

/// The whole life of the process that waits.
[[noreturn]] void wait_and_remove(int way, const std::string& folder) {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "tapedeck-folder");
  const auto kept = static_cast<unsigned>(way);
  if (kept > 0) close_range(0, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
  char nothing = 0;
  ssize_t got = 0;
  do got = read(way, &nothing, 1);
  while (got > 0 || (got < 0 && errno == EINTR));
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  int ends[2] = {-1, -1};
  if (getpid() == 1 || pipe2(ends, O_CLOEXEC) != 0) return;
  const base::Descriptor theirs(ends[0]);
  way_ = base::Descriptor(ends[1]);
  // It is no child of this process, so nobody has to wait for it.
  const pid_t child = fork();
  if (child == 0) {
    way_.close();
    if (fork() == 0) wait_and_remove(theirs.number(), path());
    _exit(0);
  }
  if (child < 0) way_.close();
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace tapedeck::cli
