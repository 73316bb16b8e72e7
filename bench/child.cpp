#include "bench/child.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace tapedeck::bench {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& argv) {
  std::vector<char*> out;
  for (const std::string& word : argv) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Runs in the child between vfork and exec, so it calls only functions that are safe there. A fork would copy the page
/// tables of the memory of earlier rounds, which would take most of the time of a start.
[[noreturn]] void become(const std::vector<char*>& argv, int output, bool errors_too) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(output, STDOUT_FILENO);
  if (errors_too) dup2(output, STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

/// Returns the process and all its descendants, found by the parent's pid in /proc/PID/stat.
std::vector<pid_t> family(pid_t root) {
  std::vector<std::pair<pid_t, pid_t>> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string line;
    std::getline(stat, line);
    const std::size_t end = line.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream rest(line.substr(end + 1));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    all.emplace_back(static_cast<pid_t>(std::stol(name)), parent);
  }
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& [pid, parent] : all) {
      if (parent == found[i]) found.push_back(pid);
    }
  }
  return found;
}

std::uint64_t status_kb(pid_t pid, const std::string& field) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(field + ":")) return std::stoull(line.substr(field.size() + 1));
  }
  return 0;
}

std::uint64_t family_kb(pid_t root, const std::string& field) {
  std::uint64_t sum = 0;
  for (const pid_t pid : family(root)) sum += status_kb(pid, field);
  return sum;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Child::Child(const std::vector<std::string>& argv, const std::filesystem::path& log) {
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (output < 0) throw std::runtime_error("cannot write " + log.string());
  const std::vector<char*> words = pointers(argv);
  pid_ = vfork();
  if (pid_ == 0) become(words, output, true);
  close(output);
  if (pid_ < 0) throw std::runtime_error("cannot start " + argv[0]);
}

Child::~Child() { stop(); }
Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    stop();
    pid_ = std::exchange(other.pid_, -1);
  }
  return *this;
}

std::uint64_t Child::cpu_ns() const {
  std::uint64_t sum = 0;
  for (const pid_t pid : family(pid_)) {
    std::error_code gone;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
      std::ifstream schedstat(task.path() / "schedstat");
      std::uint64_t on_cpu = 0;
      schedstat >> on_cpu;
      sum += on_cpu;
    }
  }
  return sum;
}

std::uint64_t Child::resident() const { return family_kb(pid_, "VmRSS") * 1024; }
std::uint64_t Child::resident_peak() const { return family_kb(pid_, "VmHWM") * 1024; }

bool Child::running() const {
  siginfo_t info{};
  return pid_ > 0 && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

int Child::stop() {
  if (pid_ <= 0) return 0;
  kill(pid_, SIGTERM);
  return wait_for(std::exchange(pid_, -1));
}

std::string output_of(const std::vector<std::string>& argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const std::vector<char*> words = pointers(argv);
  const pid_t pid = vfork();
  if (pid == 0) become(words, ends[1], false);
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  if (pid < 0 || wait_for(pid) != 0) throw std::runtime_error(argv[0] + " failed: " + out);
  return out;
}

std::uint16_t free_port() {
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(socket_);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

}  // namespace tapedeck::bench
