#include "cli/running/ending.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "cli/arguments/command.h"
#include "cli/console/log.h"

namespace tapedeck::cli {
namespace {

constexpr std::chrono::milliseconds ending_period(200);

bool is_ignored_signal(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Reads and discards input. Returns true at its end.
bool input_has_ended() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0) return false;
  std::array<char, 4096> unwanted{};
  const ssize_t got = ::read(STDIN_FILENO, unwanted.data(), unwanted.size());
  return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

}  // namespace

void end_on_signals(http::EventLoop& loop, const std::function<void()>& end) {
  const auto ended = [end](int) { end(); };
  loop.on_signal({SIGINT, SIGTERM}, ended);
  if (!is_ignored_signal(SIGHUP)) loop.on_signal({SIGHUP}, ended);
}

void end_with_starter(http::EventLoop& loop, const EndingOptions& options, const std::function<void()>& end) {
  if (!options.with_stdin) return;
  loop.every(ending_period, [end] {
    if (!input_has_ended()) return true;
    log::info("standard input has ended");
    end();
    return false;
  });
}

void add_ending_options(Command& command, EndingOptions& options) {
  command.flag("--exit-with-stdin", options.with_stdin, "Stop when standard input is closed");
}

}  // namespace tapedeck::cli
