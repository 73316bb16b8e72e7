#pragma once
// Long work on a terminal: one line with a bar, the rate and the time left. In a pipe there is none.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tapedeck::cli {

/// "checking  [########            ]  42%  12.3 MB/s  0:08 left", or "120 calls/s" where `counted` says that it is not
/// bytes. Rate and time are left out in the first half second, when they would be guesses. `total` 0: nothing is known
/// but the step.
[[nodiscard]] std::string progress_line(const std::string& step, std::uint64_t done, std::uint64_t total,
                                        std::chrono::milliseconds taken, std::string_view counted = {});

/// For one thread.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { end(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Writes at most ten times a second; the clock starts again with each step.
  void show(const std::string& step, std::uint64_t done, std::uint64_t total, std::string_view counted = {});
  /// For work that asks with each step whether it goes on: shows it, and is false once a signal came (see
  /// catch_stop_signals(), which it calls). The bar must outlive it.
  [[nodiscard]] std::function<bool(std::uint64_t done, std::uint64_t total)> until_stopped(const char* step,
                                                                                           const char* counted = "");
  /// Takes the line off the terminal.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  bool shown_ = false;
  std::string step_;
  Clock::time_point started_, written_;
};

/// From the first call on, SIGINT and SIGTERM do not end the process, but make stop_asked() true: for work that has to
/// take away what it has begun.
void catch_stop_signals();
[[nodiscard]] bool stop_asked();

}  // namespace tapedeck::cli
