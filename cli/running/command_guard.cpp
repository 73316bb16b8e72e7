#include "cli/running/command_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/system.h"

namespace tapedeck::cli {
namespace {

void hold_only(int way) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  base::close_all_except(way);
}

/// Reads until the end of the pipe. Returns the last number that was sent, or 0.
pid_t last_number(int way) {
  pid_t last = 0, number = 0;
  ssize_t got = 0;
  do {
    got = read(way, &number, sizeof number);
    if (got == sizeof number) last = number;
  } while (got > 0 || (got < 0 && errno == EINTR));
  return last;
}

/// Starts a process that outlives this one, and that ends the command when this process has ended. Returns the pipe to
/// it, or a closed descriptor if no such process can be started.
base::Descriptor start_watcher() {
  int ends[2] = {-1, -1};
  if (getpid() == 1 || !base::make_pipe(ends)) return {};
  const base::Descriptor theirs(ends[0]);
  base::Descriptor ours(ends[1]);
  const pid_t child = fork();
  if (child == 0) {
    ours.close();
    // The number must not be a standard one, even if those are closed.
    const int way = fcntl(theirs.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fork() != 0) _exit(0);
    setsid();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) ::signal(signal, SIG_IGN);
    base::set_process_name("tapedeck-guard");
    hold_only(way);
    if (const pid_t command = last_number(way); command != 0) end_command(command, ::kill);
    _exit(0);
  }
  if (child < 0) ours.close();
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return ours;
}

}  // namespace

void end_command(pid_t command, SendSignal send) {
  constexpr int most_looks = 100;
  if (send(command, SIGTERM) != 0 || send(command, SIGCONT) != 0) return;
  for (int looks = 0; looks < most_looks; ++looks) {
    if (send(command, 0) != 0) return;
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
  }
  send(command, SIGKILL);
}

CommandGuard::CommandGuard() : way_(start_watcher()) {}

void CommandGuard::watch(pid_t command) const {
  const ssize_t written = way_.open() ? write(way_.number(), &command, sizeof command) : 0;
  static_cast<void>(written);  // a missing guard is no reason to end the run
}

}  // namespace tapedeck::cli
