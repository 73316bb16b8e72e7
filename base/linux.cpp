#include "base/linux.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sockios.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <system_error>

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

}  // namespace

const char* own_program() {
  constexpr const char* link = "/proc/self/exe";
  if (access(link, X_OK) == 0) return link;
  const auto started_as = getauxval(AT_EXECFN);
  return started_as == 0 ? link : reinterpret_cast<const char*>(started_as);
}

std::vector<pid_t> own_children() {
  // Some kernels do not have /proc/N/task/N/children.
  std::vector<pid_t> children;
  for (const pid_t process : numbers_in("/proc")) {
    if (parent_of(process) == getpid()) children.push_back(process);
  }
  return children;
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void set_process_name(const char* name) { prctl(PR_SET_NAME, name); }

void keep_memory_private() { prctl(PR_SET_DUMPABLE, 0); }

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

int open_beneath(int folder, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

bool rename_without_replacing(const std::string& from, const std::string& to) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
}

std::size_t unacknowledged_bytes(int socket) {
  int bytes = 0;
  return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

void require_address_space(std::size_t bytes) {
  void* const block = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  munmap(block, bytes);
}

}  // namespace tapedeck::base
