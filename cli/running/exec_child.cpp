#include "cli/running/exec_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/descriptor.h"
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
    bool replaced = text.starts_with("TAPEDECK_DEVICE_");  // used only by Tapedeck itself
    for (const auto& [name, value] : added) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

bool has_terminal() { return base::Descriptor(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).open(); }

/// Forwards signals until the child has ended. At a time limit, ends it with SIGTERM and two seconds later with
/// SIGKILL.
class Wait {
 public:
  /// `target` is the child's process ID, or its negative group ID.
  Wait(pid_t child, pid_t target, const std::optional<ChildRunner::Unattended>& unattended)
      : child_(child), target_(target), is_unattended_(unattended.has_value()) {
    if (unattended && unattended->limit) end_at_ = Clock::now() + *unattended->limit;
  }

  ChildRunner::Ended end() {
    const sigset_t set = waited_signals();
    while (true) {
      int wait_status = 0;
      if (waitpid(child_, &wait_status, WNOHANG) == child_) return {true, exit_status_of(wait_status), is_late_};
      if (end_at_ && Clock::now() >= *end_at_) press();
      siginfo_t info{};
      const int signal = next_signal(set, info);
      if (signal <= 0 || signal == SIGCHLD) continue;
      const bool from_terminal = info.si_code == SI_KERNEL;
      if (!from_terminal) kill(child_, signal);
      if (is_unattended_ && !got_signal_) end_at_ = noted_signal();
    }
  }

 private:
  void press() {
    if (got_signal_) {
      kill(target_, SIGKILL);
      end_at_ = Clock::now() + before_kill;
      return;
    }
    is_late_ = true;
    kill(target_, SIGTERM);
    kill(target_, SIGCONT);
    end_at_ = noted_signal();
  }
  Clock::time_point noted_signal() {
    got_signal_ = true;
    return Clock::now() + before_kill;
  }
  [[nodiscard]] int next_signal(const sigset_t& set, siginfo_t& info) const {
    if (!end_at_) return sigwaitinfo(&set, &info);
    const auto left = std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(*end_at_ - Clock::now()));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec pause{seconds.count(), (left - seconds).count()};
    return sigtimedwait(&set, &info, &pause);
  }

  const pid_t child_, target_;
  const bool is_unattended_;
  std::optional<Clock::time_point> end_at_;
  bool got_signal_ = false, is_late_ = false;
};

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

ChildRunner::ChildRunner(std::set<int> inherited) : inherited_(std::move(inherited)) {
  guard_ = std::make_unique<CommandGuard>();
  const sigset_t set = waited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

ChildRunner::Ended ChildRunner::run(const std::vector<std::string>& command,
                                    const std::vector<std::pair<std::string, std::string>>& environment,
                                    const std::optional<Unattended>& unattended) const {
  base::adopt_orphans();
  // Libraries open some files without O_CLOEXEC, and a command that inherits sockets would keep the port open.
  for (const int file : base::open_descriptors()) {
    if (!inherited_.contains(file)) fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  const bool leads_group = !has_terminal();
  ProgramStart start{command, merged_environment(environment)};
  if (leads_group) start.group = POSIX_SPAWN_SETPGROUP;
  const base::Descriptor nothing(unattended ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
  if (unattended) {
    start.input = nothing.number();
    start.output = start.errors = unattended->output;
  }
  pid_t child = 0;
  if (const int error = start_program(std::move(start), child); error != 0) {
    std::cerr << "tapedeck: cannot run " << printable(command.front()) << ": " << std::strerror(error) << '\n';
    return {false, error == ENOENT ? 127 : 126};
  }
  const pid_t target = leads_group ? -child : child;
  guard_->watch(target);
  const Ended ended = Wait(child, target, unattended).end();
  guard_->dismiss();
  end_leftovers();
  return ended;
}

}  // namespace tapedeck::cli
