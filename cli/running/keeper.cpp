#include "cli/running/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

namespace tapedeck::cli {
namespace {

constexpr std::size_t most_files = 4;
constexpr std::size_t longest_text = 16u << 10;

/// The first byte of what the recorder sends.
enum class Word : char { handover = 'h', block = 'b', dismissal = 'd' };

using Room = std::array<char, CMSG_SPACE(most_files * sizeof(int))>;

bool send_word(int way, Word word, std::string_view text = {}, const std::vector<int>& files = {}) {
  std::string bytes(1, static_cast<char>(word));
  bytes += text;
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) Room room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = room.data();
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(head), files.data(), files.size() * sizeof(int));
  }
  ssize_t sent = -1;
  do {
    sent = sendmsg(way, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

struct Received {
  Word word;
  std::string text;
  std::vector<base::Descriptor> files;
};

/// Waits for the recorder's next word; nothing when it has died.
std::optional<Received> next_word(int way) {
  std::string bytes(1 + longest_text, '\0');
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) Room room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t got = -1;
  do {
    got = recvmsg(way, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  Received received{static_cast<Word>(bytes[0]), bytes.substr(1, static_cast<std::size_t>(got) - 1), {}};
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= head->cmsg_len; at += sizeof(int)) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(head) + (at - CMSG_LEN(0)), sizeof file);
      received.files.emplace_back(file);
    }
  }
  return received;
}

/// Whoever waits for the end of the recorder's output must not wait for us, nor a port for our sockets.
void close_all_but(int way) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  const auto kept = static_cast<unsigned>(way);
  constexpr unsigned first = STDERR_FILENO + 1;
  if (kept > first) close_range(first, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

void keep_apart() {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "tapedeck-keeper");
  prctl(PR_SET_DUMPABLE, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  umask(077);
}

/// The whole life of the keeper's process.
void keep(int way, SharedLog& log, const std::function<void(Inheritance)>& finish) {
  log.lock_used();
  std::optional<Received> inherited;
  while (std::optional<Received> received = next_word(way)) {
    if (received->word == Word::dismissal) return;
    if (received->word == Word::block) log.lock_used();
    if (received->word == Word::handover) inherited = std::move(received);
  }
  if (!inherited) return;
  log.lock_used();
  finish({std::move(inherited->text), std::move(inherited->files), log});
}

/// Twice, so that the keeper is init's: nobody who waits for our children meets it.
[[noreturn]] void become_keeper(base::Descriptor way, SharedLog& log, const std::function<void(Inheritance)>& finish) {
  keep_apart();
  if (fork() != 0) _exit(0);
  try {
    // Not among the standard ones, should those be closed.
    const int kept = fcntl(way.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close_all_but(kept);
    static_cast<void>(way.release());
    const pid_t pid = getpid();
    if (write(kept, &pid, sizeof pid) == sizeof pid) keep(kept, log, finish);
  } catch (const std::exception&) {
    _exit(1);  // nobody hears us: what was recorded is as it is
  }
  _exit(0);
}

bool has_hung_up(int way, std::chrono::milliseconds patience) {
  pollfd poll{way, 0, 0};
  return ::poll(&poll, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

Keeper::Keeper(const std::function<void(Inheritance)>& finish) {
  int ways[2] = {-1, -1};
  is_wanted_ = getpid() != 1;
  if (!is_wanted_ || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ways) != 0) return;
  base::Descriptor ours(ways[0]), theirs(ways[1]);
  try {
    log_ = std::make_unique<SharedLog>();
  } catch (const std::exception&) {
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    ours.close();
    become_keeper(std::move(theirs), *log_, finish);
  }
  theirs.close();
  if (child < 0) return;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_t pid = 0;
  ssize_t got = -1;
  do {
    got = read(ours.number(), &pid, sizeof pid);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof pid) return;
  pid_ = pid;
  way_ = std::move(ours);
}

Keeper::~Keeper() { dismiss(); }

void Keeper::hand_over(std::string_view text, const std::vector<int>& files) {
  if (way_.open()) static_cast<void>(send_word(way_.number(), Word::handover, text, files));
}

void Keeper::tell(std::string_view entry) {
  if (!way_.open() || is_full_) return;
  const SharedLog::Added added = log_->add(entry);
  if (added == SharedLog::Added::in_block) static_cast<void>(send_word(way_.number(), Word::block));
  if (added == SharedLog::Added::nowhere && !is_full_.exchange(true)) {
    static_cast<void>(send_word(way_.number(), Word::dismissal));
  }
}

void Keeper::dismiss() {
  constexpr std::chrono::seconds patience{2};
  if (!way_.open()) return;
  if (send_word(way_.number(), Word::dismissal)) static_cast<void>(has_hung_up(way_.number(), patience));
  way_.close();
  log_->wipe();
}

bool Keeper::is_there() const {
  return way_.open() && !is_full_ && !has_hung_up(way_.number(), std::chrono::milliseconds(0));
}

}  // namespace tapedeck::cli
