#include "demo/child_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/descriptor.h"

namespace tapedeck::demo {
namespace {

constexpr std::chrono::milliseconds look_every(10);
constexpr int most_looks = 2'000;

/// This program, also where there is no /proc.
const char* own_path() {
  constexpr const char* link = "/proc/self/exe";
  if (access(link, X_OK) == 0) return link;
  const auto started_as = getauxval(AT_EXECFN);
  return started_as == 0 ? link : reinterpret_cast<const char*>(started_as);
}

pid_t spawn(const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
  std::vector<std::string> words = {"tapedeck"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // A group of its own: Ctrl-C is for the demo, which ends its children in order.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, own_path(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) throw std::system_error(failure, std::generic_category(), "cannot start tapedeck");
  return pid;
}

}  // namespace

ChildProgram::ChildProgram(const std::string& folder, const std::string& name, std::vector<std::string> arguments)
    : out_(folder + "/" + name + ".out"), err_(folder + "/" + name + ".err"), ready_(folder + "/" + name + ".ready") {
  arguments.insert(arguments.end(), {"--listen", "127.0.0.1:0", "--ready-file", ready_});
  pid_ = spawn(arguments, out_, err_);
  try {
    wait_until_ready();
  } catch (...) {
    stop();
    throw;
  }
}

ChildProgram::~ChildProgram() { stop(); }

void ChildProgram::wait_until_ready() {
  for (int looks = 0; looks < most_looks && !has_ended(); ++looks) {
    std::istringstream text(base::read_file(ready_).value_or(""));
    for (std::string line; std::getline(text, line);) lines_.push_back(line);
    if (!lines_.empty()) {
      url_ = lines_.front();
      return;
    }
    std::this_thread::sleep_for(look_every);
  }
  throw std::runtime_error("the demo program did not start: " + err());
}

bool ChildProgram::has_ended() {
  if (pid_ < 0) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  pid_ = -1;
  return true;
}

std::string ChildProgram::value(const std::string& name) const {
  for (const std::string& line : lines_) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return {};
}

int ChildProgram::stop() {
  if (!has_ended()) kill(pid_, SIGTERM);
  for (int looks = 0; !has_ended(); ++looks) {
    if (looks == most_looks) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(look_every);
  }
  return status_;
}

std::string ChildProgram::err() const { return base::read_file(err_).value_or(""); }

std::string output_of(const std::string& folder, const std::vector<std::string>& arguments) {
  const std::string out = folder + "/output", err = folder + "/errors";
  int status = 0;
  waitpid(spawn(arguments, out, err), &status, 0);
  if (status != 0) throw std::runtime_error("the demo program failed: " + base::read_file(err).value_or(""));
  return base::read_file(out).value_or("");
}

}  // namespace tapedeck::demo
