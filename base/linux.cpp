#include "base/system.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sockios.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace tapedeck::base {

namespace {

/// Returns the names in a folder that are numbers.
std::set<int> numbers_in(const char* folder) {
  std::set<int> numbers;
  std::error_code ignored;
  std::filesystem::directory_iterator entry(folder, ignored);
  for (; entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    if (const auto number = whole_number<int>(entry->path().filename().string())) numbers.insert(*number);
  }
  return numbers;
}

/// Returns nothing if the process has ended.
std::optional<pid_t> parent_of(pid_t process) {
  // The parent is the fourth field, after the name in parentheses, which may contain any character. Reading fails if
  // the process has ended, and stream iterators would then throw.
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::array<char, 1024> head{};  // the name before it has at most 64 bytes
  in.read(head.data(), head.size());
  const std::string text(head.data(), static_cast<std::size_t>(in.gcount()));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return std::nullopt;
  return static_cast<pid_t>(std::atoi(text.c_str() + name_end + 4));
}

/// Returns the running children of this process, by searching all processes.
std::vector<pid_t> own_children() {
  // Some kernels do not have /proc/N/task/N/children.
  std::vector<pid_t> children;
  for (const pid_t process : numbers_in("/proc")) {
    if (parent_of(process) == getpid()) children.push_back(process);
  }
  return children;
}

/// Collects ended children. Returns false if no child is left.
bool reap() {
  while (true) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped == 0) return true;
    if (reaped < 0 && errno != EINTR) return false;
  }
}

/// Ends all children. A child's ID stays reserved until it is reaped, so no signal can reach another process.
void end_children(const sigset_t& waited) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds before_kill(2);
  const auto begin = Clock::now();
  std::set<pid_t> ending;
  while (reap()) {
    const bool late = Clock::now() - begin > before_kill;
    for (const pid_t child : own_children()) {
      if (late) {
        kill(child, SIGKILL);
      } else if (ending.insert(child).second) {
        kill(child, SIGTERM);
        kill(child, SIGCONT);
      }
    }
    const timespec pause{0, 20'000'000};
    sigtimedwait(&waited, nullptr, &pause);
  }
}

}  // namespace

void set_started_as(const char* /*name*/) {}

const char* own_program() {
  constexpr const char* link = "/proc/self/exe";
  if (access(link, X_OK) == 0) return link;
  const auto started_as = getauxval(AT_EXECFN);
  return started_as == 0 ? link : reinterpret_cast<const char*>(started_as);
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

int reap_with_leftovers(pid_t child, bool /*leads_group*/, const sigset_t& waited) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  end_children(waited);
  return status;
}

void set_process_name(const char* name) { prctl(PR_SET_NAME, name); }

void keep_memory_private() { prctl(PR_SET_DUMPABLE, 0); }

void block_signals(const sigset_t& signals) { pthread_sigmask(SIG_BLOCK, &signals, nullptr); }

Signal wait_for_signal(const sigset_t& signals) {
  siginfo_t info{};
  const int number = sigwaitinfo(&signals, &info);
  return number > 0 ? Signal{number, info.si_code == SI_KERNEL} : Signal{};
}

bool make_pipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

std::set<int> open_descriptors() {
  // A process that is not dumpable cannot read its own /proc/self/fd.
  const int dumpable = prctl(PR_GET_DUMPABLE);
  prctl(PR_SET_DUMPABLE, 1);
  std::set<int> open = numbers_in("/proc/self/fd");
  prctl(PR_SET_DUMPABLE, dumpable);
  // The listing includes its own descriptor, which is closed by now.
  std::erase_if(open, [](int file) { return fcntl(file, F_GETFD) < 0; });
  return open;
}

void close_all_except(int kept) {
  const auto number = static_cast<unsigned>(kept);
  constexpr unsigned first = STDERR_FILENO + 1;
  if (number > first) close_range(first, number - 1, 0);
  close_range(number + 1, ~0U, 0);
}

int open_folder(const std::string& path) { return open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }

int open_beneath(int folder, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

bool rename_without_replacing(const std::string& from, const std::string& to) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
}

bool sync_to_disk(int file) { return fsync(file) == 0; }

void start_sync(int file) { sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }

FileTimes times_of(const struct stat& status) { return {status.st_ctim, status.st_mtim}; }

int stream_socket(int family, Calls calls) {
  return socket(family, SOCK_STREAM | SOCK_CLOEXEC | (calls == Calls::never_wait ? SOCK_NONBLOCK : 0), 0);
}

int accept_connection(int listening) { return accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); }

const int without_sigpipe = MSG_NOSIGNAL;

std::size_t unacknowledged_bytes(int socket) {
  int bytes = 0;
  return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace tapedeck::base
