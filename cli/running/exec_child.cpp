#include "cli/running/exec_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <set>

#include "base/descriptor.h"
#include "base/linux.h"
#include "base/text.h"
#include "cli/console/terminal.h"
#include "cli/running/spawn.h"

namespace tapedeck::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds before_kill(2);

sigset_t waited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : added) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

bool has_terminal() { return base::Descriptor(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).open(); }

/// Returns true if the child has ended. It is not reaped yet, so that its ID stays reserved.
bool has_ended(pid_t child) {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child;
}

/// Forwards signals until the child has ended. Returns true if there was one.
bool forward_signals(pid_t child) {
  const sigset_t set = waited_signals();
  bool got_signal = false;
  while (!has_ended(child)) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&set, &info);
    if (signal <= 0 || signal == SIGCHLD) continue;
    got_signal = true;
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (!from_terminal) kill(child, signal);
  }
  return got_signal;
}

/// Collects ended children. Returns false if no child is left.
bool reap() {
  while (true) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped == 0) return true;
    if (reaped < 0 && errno != EINTR) return false;
  }
}

/// Ends the processes that the command left behind. They are children of this process, which is their subreaper. A
/// child's ID stays reserved until it is reaped, so no signal can reach another process.
void end_leftovers() {
  const auto begin = Clock::now();
  const sigset_t set = waited_signals();
  std::set<pid_t> ending;
  while (reap()) {
    const bool late = Clock::now() - begin > before_kill;
    for (const pid_t child : base::own_children()) {
      if (late) {
        kill(child, SIGKILL);
      } else if (ending.insert(child).second) {
        kill(child, SIGTERM);
        kill(child, SIGCONT);
      }
    }
    const timespec pause{0, 20'000'000};
    sigtimedwait(&set, nullptr, &pause);
  }
}

}  // namespace

ChildRunner::ChildRunner() : inherited_(base::open_descriptors()) {
  guard_ = std::make_unique<CommandGuard>();
  const sigset_t set = waited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

ChildRunner::Ended ChildRunner::run(const std::vector<std::string>& command,
                                    const std::vector<std::pair<std::string, std::string>>& environment) const {
  base::adopt_orphans();
  // Libraries open some files without O_CLOEXEC, and a command that inherits sockets would keep the port open.
  for (const int file : base::open_descriptors()) {
    if (!inherited_.contains(file)) fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  const bool leads_group = !has_terminal();
  ProgramStart start{command, merged_environment(environment)};
  if (leads_group) start.group = POSIX_SPAWN_SETPGROUP;
  pid_t child = 0;
  if (const int error = start_program(std::move(start), child); error != 0) {
    std::cerr << "tapedeck: cannot run " << printable(command.front()) << ": " << std::strerror(error) << '\n';
    return {false, error == ENOENT ? 127 : 126};
  }
  guard_->watch(leads_group ? -child : child);
  const bool got_signal = forward_signals(child);
  guard_->watch(0);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) continue;
  end_leftovers();
  return {true, exit_status_of(wait_status), got_signal};
}

}  // namespace tapedeck::cli
