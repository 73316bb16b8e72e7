#include "cli/running/command_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace tapedeck::cli {
namespace {

void hold_only(int way) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  const auto kept = static_cast<unsigned>(way);
  constexpr unsigned first = STDERR_FILENO + 1;
  if (kept > first) close_range(first, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

void end_command(pid_t command) {
  constexpr int most_looks = 100;
  kill(command, SIGTERM);
  kill(command, SIGCONT);
  for (int looks = 0; looks < most_looks && kill(command, 0) == 0; ++looks) {
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
  }
  kill(command, SIGKILL);
}

/// The whole life of the guard's process.
[[noreturn]] void guard(int way) {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "tapedeck-guard");
  hold_only(way);
  pid_t command = 0, read_one = 0;
  ssize_t got = 0;
  do {
    got = read(way, &read_one, sizeof read_one);
    if (got == sizeof read_one) command = read_one;
  } while (got > 0 || (got < 0 && errno == EINTR));
  if (command != 0) end_command(command);
  _exit(0);
}

}  // namespace

CommandGuard::CommandGuard() {
  int ends[2] = {-1, -1};
  if (getpid() == 1 || pipe2(ends, O_CLOEXEC) != 0) return;
  const base::Descriptor theirs(ends[0]);
  way_ = base::Descriptor(ends[1]);
  const pid_t child = fork();
  if (child == 0) {
    way_.close();
    // Not among the standard ones, should those be closed.
    const int kept = fcntl(theirs.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fork() == 0) guard(kept);
    _exit(0);
  }
  if (child < 0) way_.close();
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
}

void CommandGuard::watch(pid_t command) const {
  const ssize_t written = way_.open() ? write(way_.number(), &command, sizeof command) : 0;
  static_cast<void>(written);  // a guard that was killed is no reason to end the run
}

void CommandGuard::dismiss() {
  watch(0);
  way_.close();
}

}  // namespace tapedeck::cli
