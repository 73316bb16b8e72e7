#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/proc.h"

extern char** environ;

namespace tapedeck::tests {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto replaced = [&](const auto& pair) { return text.starts_with(pair.first + "="); };
    if (std::none_of(added.begin(), added.end(), replaced)) {
      all.emplace_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    all.push_back(name + "=" + value);
  }
  return all;
}

int status_of(int raw) { return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw); }

/// Waits for the process's end without reaping it. Returns false after the timeout.
bool wait_for_end(pid_t pid, milliseconds timeout) {
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));  // glibc 2.36 declares it for C alone
  if (handle < 0) {
    return true;  // already ended, or pidfd is not available: the caller's waitpid decides
  }
  pollfd wait{handle, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, static_cast<int>(timeout.count()));
  } while (ready < 0 && errno == EINTR);
  close(handle);
  return ready > 0;
}

}  // namespace

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "tapedeck-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("mkdtemp failed");
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

Child::Child(const Spawn& spawn) : out_(spawn.out), err_(spawn.err) {
  std::vector<std::string> argv = spawn.argv;
  std::vector<std::string> env = environment(spawn.env);
  const std::vector<char*> argv_list = pointers(argv);
  const std::vector<char*> env_list = pointers(env);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto redirect = [&](int descriptor, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path.empty() ? "/dev/null" : path.c_str(), flags, 0600);
  };
  redirect(STDIN_FILENO, {}, O_RDONLY);
  redirect(STDOUT_FILENO, out_, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, err_, O_WRONLY | O_CREAT | O_TRUNC);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (!spawn.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, spawn.folder.c_str());
  }
  const int failed = posix_spawnp(&pid_, argv_list[0], &actions, nullptr, argv_list.data(), env_list.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pid_ = -1;
    throw std::runtime_error("cannot start " + spawn.argv[0] + ": " + std::strerror(failed));
  }
}

Child::~Child() {
  if (!status_) {
    signal(SIGKILL);
    wait(milliseconds(10000));
  }
}

std::optional<int> Child::wait(milliseconds timeout) {
  if (!status_ && wait_for_end(pid_, timeout * slowness)) {
    int raw = 0;
    if (waitpid(pid_, &raw, 0) == pid_) {
      status_ = status_of(raw);
    }
  }
  return status_;
}

void Child::signal(int number) const {
  if (!status_) {
    kill(pid_, number);
  }
}

Ran run(std::vector<std::string> argv, milliseconds timeout, std::vector<std::pair<std::string, std::string>> env) {
  const TempDir folder;
  Child child({std::move(argv), std::move(env), "", folder / "out", folder / "err"});
  const int status = child.wait(timeout).value_or(-1);
  return {status, child.out(), child.err()};
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + name).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

bool wait_for_file(const std::string& path, Child& child, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!std::filesystem::exists(path)) {
    // Waiting for the child's end limits the rate of this loop.
    if (Clock::now() > deadline || child.wait(milliseconds(5))) {
      return std::filesystem::exists(path);
    }
  }
  return true;
}

}  // namespace tapedeck::tests
