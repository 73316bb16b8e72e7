#pragma once
// Shows the progress of long work on a terminal: one line with a bar, the rate, and the remaining time. Prints nothing
// if standard error is not a terminal.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tapedeck::cli {

/// Returns a line such as "checking  [########            ]  42%  12.3 MB/s  0:08 left". `counted` names a unit other
/// than bytes, as in "120 calls/s". In the first half second the rate and the time are left out because they would be
/// guesses. If `total` is 0, only the step is shown.
[[nodiscard]] std::string progress_line(const std::string& step, std::uint64_t done, std::uint64_t total,
                                        std::chrono::milliseconds taken, std::string_view counted = {});

/// Use it on one thread.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { end(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Updates the line at most ten times a second. The clock restarts with each step.
  void show(const std::string& step, std::uint64_t done, std::uint64_t total, std::string_view counted = {});
  /// Returns a progress callback that shows the step, and that returns false after a signal. Calls
  /// catch_stop_signals(). The bar must outlive the callback.
  [[nodiscard]] std::function<bool(std::uint64_t done, std::uint64_t total)> until_stopped(const char* step,
                                                                                           const char* counted = "");
  /// Does the same for work of several steps, which names its step in each call.
  [[nodiscard]] std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> steps_until_stopped();
  /// Erases the line on the terminal.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  bool shown_ = false;
  std::string step_;
  Clock::time_point started_, written_;
};

/// After the first call, SIGINT and SIGTERM no longer end the process, but make stop_requested() return true. Use it
/// for work that must clean up after itself.
void catch_stop_signals();
[[nodiscard]] bool stop_requested();

}  // namespace tapedeck::cli
