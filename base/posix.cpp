// The calls of base/system.h that are the same on all systems other than Linux.
#include "base/posix.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/system.h"
#include "base/text.h"

namespace tapedeck::base {

namespace {

bool keep_from_programs(int file) { return file >= 0 && fcntl(file, F_SETFD, FD_CLOEXEC) == 0; }

/// Returns the number of the socket, or closes it and returns -1.
int prepared(Descriptor socket, Calls calls) {
  if (!keep_from_programs(socket.number())) return -1;
  if (calls == Calls::never_wait && fcntl(socket.number(), F_SETFL, O_NONBLOCK) != 0) return -1;
  prepare_socket(socket.number());
  return socket.release();
}

bool is_in_foreground() {
  const Descriptor terminal(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  return terminal.open() && tcgetpgrp(terminal.number()) == getpgrp();
}

/// Returns the target of a link in a folder, or nothing if it is not a link.
std::optional<std::string> link_in(int folder, const std::string& name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = readlinkat(folder, name.c_str(), target.data(), target.size());
  return size >= 0 ? std::optional(std::string(target.data(), static_cast<std::size_t>(size))) : std::nullopt;
}

int refused_path(int code) {
  errno = code;
  return -1;
}

}  // namespace

void adopt_orphans() {}

int reap_with_leftovers(pid_t child, bool leads_group, const sigset_t& /*waited*/) {
  constexpr int most_looks = 100;
  // The group keeps its number, at first because the child is not reaped, and then while other processes are in it.
  if (leads_group) {
    kill(-child, SIGTERM);
    kill(-child, SIGCONT);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  for (int looks = 0; leads_group && kill(-child, 0) == 0; ++looks) {
    if (looks == most_looks) kill(-child, SIGKILL);
    if (looks >= most_looks) break;
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
  }
  return status;
}

void set_process_name(const char* /*name*/) {}

void block_signals(const sigset_t& signals) {
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (sigismember(&signals, SIGCHLD) != 1) return;
  // BSDs drop a signal that is ignored by default, even if it is blocked, unless it has a handler.
  struct sigaction handled {};
  handled.sa_handler = [](int) {};
  handled.sa_flags = SA_RESTART;
  sigaction(SIGCHLD, &handled, nullptr);
}

Signal wait_for_signal(const sigset_t& signals) {
  int number = 0;
  if (sigwait(&signals, &number) != 0) return {};
  return {number, number == SIGINT && is_in_foreground()};
}

bool make_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  Descriptor read_end(ends[0]), write_end(ends[1]);
  if (!keep_from_programs(ends[0]) || !keep_from_programs(ends[1])) return false;
  return read_end.release() >= 0 && write_end.release() >= 0;
}

std::set<int> open_descriptors() {
  // Not every system has this folder.
  std::set<int> open;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry("/dev/fd", failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (const auto number = whole_number<int>(entry->path().filename().string())) open.insert(*number);
  }
  constexpr rlim_t most = 65'536;
  rlimit limit{};
  if (open.empty() && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    for (int file = 0; file < static_cast<int>(std::min(limit.rlim_cur, most)); ++file) open.insert(file);
  }
  std::erase_if(open, [](int file) { return fcntl(file, F_GETFD) < 0; });
  return open;
}

void close_all_except(int kept) {
  for (const int file : open_descriptors()) {
    if (file > STDERR_FILENO && file != kept) close(file);
  }
}

int open_folder(const std::string& path) { return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

/// Opens one name after the other and follows links itself, so that none leads out of the folder.
int open_beneath(int folder, const std::string& path) {
  constexpr int most_links = 40;
  constexpr int how = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  std::vector<Descriptor> opened;  // the folders below `folder`, the innermost last
  std::string rest = path;
  for (int links = 0;;) {
    if (rest.starts_with('/')) return refused_path(EXDEV);
    const int inner = opened.empty() ? folder : opened.back().number();
    const std::size_t end = rest.find('/');
    const bool is_last = end == std::string::npos;
    const std::string name = rest.substr(0, end);
    const std::size_t next = is_last ? std::string::npos : rest.find_first_not_of('/', end);
    rest = next == std::string::npos ? "." : rest.substr(next);
    if (name == "..") {
      if (opened.empty()) return refused_path(EXDEV);
      opened.pop_back();
      if (is_last) rest = ".";
    } else if (const auto target = link_in(inner, name)) {
      if (++links > most_links) return refused_path(ELOOP);
      rest = is_last ? *target : *target + "/" + rest;
    } else {
      Descriptor found(openat(inner, name.c_str(), is_last ? how : how | O_DIRECTORY));
      if (is_last || !found.open()) return found.release();
      opened.push_back(std::move(found));
    }
  }
}

void start_sync(int /*file*/) {}

int stream_socket(int family, Calls calls) { return prepared(Descriptor(socket(family, SOCK_STREAM, 0)), calls); }

int accept_connection(int listening) {
  return prepared(Descriptor(accept(listening, nullptr, nullptr)), Calls::never_wait);
}

}  // namespace tapedeck::base
