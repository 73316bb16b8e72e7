#include "cli/exec_child.h"

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>

#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

using Clock = std::chrono::steady_clock;

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

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// The child has our signals back as they were, and SIGPIPE too.
int spawn(pid_t& child, std::vector<std::string> command, std::vector<std::string> environment) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults = waited_signals();
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&child, command.front().c_str(), nullptr, &attributes, pointers(command).data(),
                                 pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  return error;
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// Forwards signals until the child has ended.
int wait_for(pid_t child) {
  const sigset_t set = waited_signals();
  while (true) {
    int wait_status = 0;
    if (waitpid(child, &wait_status, WNOHANG) == child) return status_of(wait_status);
    siginfo_t info{};
    const int signal = sigwaitinfo(&set, &info);
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (signal > 0 && signal != SIGCHLD && !from_terminal) kill(child, signal);
  }
}

std::vector<pid_t> our_children() {
  std::ifstream in("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> out;
  for (pid_t child = 0; in >> child;) out.push_back(child);
  return out;
}

/// What the command started and left comes to us, because we are its subreaper.
void end_leftovers() {
  const auto begin = Clock::now();
  const sigset_t set = waited_signals();
  for (bool told = false;; told = true) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const std::vector<pid_t> left = our_children();
    if (left.empty()) return;
    const bool late = Clock::now() - begin > std::chrono::seconds(2);
    for (const pid_t child : left) {
      if (late || !told) kill(child, late ? SIGKILL : SIGTERM);
    }
    const timespec pause{0, 20'000'000};
    sigtimedwait(&set, nullptr, &pause);
  }
}

}  // namespace

void block_child_signals() {
  const sigset_t set = waited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int run_child(const std::vector<std::string>& command,
              const std::vector<std::pair<std::string, std::string>>& environment) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t child = 0;
  if (const int error = spawn(child, command, merged_environment(environment)); error != 0) {
    std::cerr << "tapedeck: cannot run " << printable(command.front()) << ": " << std::strerror(error) << '\n';
    return 127;
  }
  const int status = wait_for(child);
  end_leftovers();
  return status;
}

}  // namespace tapedeck::cli
