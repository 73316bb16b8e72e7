#pragma once
// Runs a command many times, each time with other cassettes or overlays, and collects the results. `exec --each`,
// `forecast`, and `capsule` use it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/replay_options.h"
#include "cli/reports/report_file.h"
#include "cli/running/junit_file.h"

namespace tapedeck::cli {

class ReplayRun;

/// The cassettes and overlays of one run.
struct Trial {
  std::vector<std::string> cassettes;
  std::vector<std::string> overlays;
};

struct TrialResult {
  int status = 0;
  bool has_run = false;  ///< false: the command could not be started, and `status` is 127 or 126
  bool is_late = false;  ///< true if it was ended because it took too long
  /// it was ended by a signal to Tapedeck or at the time limit; the other members are meaningless then
  bool is_stopped = false;
  bool says = false;       ///< true if its output contains TrialOptions::says
  bool has_tests = false;  ///< true if it wrote a JUnit file
  TestResults tests;       ///< the results in that file
  std::string output;      ///< the end of its output
  std::int64_t took_ms = 0;
  /// Each distinct request with its scope, paired with its outcome, including how an inexact match differs, such as
  /// "recorded version=2".
  std::set<std::pair<std::string, std::string>> requests;
  std::set<std::string> recordings;  ///< IDs of the interactions that were played
  std::vector<std::string> misses;   ///< the first lines of the log about misses
  // Set by TrialOptions::report:
  int exit_status = 0;
  Suite suite;
  std::string report;

  [[nodiscard]] std::vector<std::string> failing() const;
  [[nodiscard]] bool passes() const { return has_run && !is_late && status == 0 && failing().empty(); }
};

struct TrialOptions {
  ReplayCommandOptions replay;  ///< serving options of all runs, except those that a Trial sets
  std::vector<std::string> command;
  /// Path of the file that the command writes, with {run} for the number of the run; empty without one.
  std::string junit;
  std::string says;  ///< a text to search for in the output
  bool shows_output =
      false;  ///< show the output and the server's log; otherwise the input is empty and nothing is shown
  std::optional<std::chrono::milliseconds> time;  ///< limit for all runs together
  /// The time by which each run may exceed five times the duration of the first run.
  std::chrono::milliseconds spare{10'000};
  /// Adds to the result. Called in the process of the run, after the command has ended.
  std::function<void(ReplayRun& run, TrialResult& result)> report;
};

/// Runs trials. Each run is a process with its own replay server, so that several can run at the same time and none
/// affects the next. All runs after the first may take five times as long as the first one plus TrialOptions::spare.
/// Requires a process with one thread.
class TrialRunner {
 public:
  /// Starts to catch SIGINT and SIGTERM.
  explicit TrialRunner(TrialOptions options);

  /// Runs all trials at the same time. Throws the error of a run that cannot use its cassette or overlay.
  [[nodiscard]] std::vector<TrialResult> run(std::span<const Trial> trials);
  [[nodiscard]] TrialResult run(const Trial& trial);
  /// Returns false after a signal or the end of the time limit.
  [[nodiscard]] bool goes_on() const;
  [[nodiscard]] bool is_time_over() const;
  /// Removes the limit for all runs together.
  void lift_time() { end_.reset(); }
  [[nodiscard]] unsigned runs() const { return runs_; }
  [[nodiscard]] const TrialOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;

  TrialOptions options_;
  std::set<int> inherited_;
  std::optional<Clock::time_point> end_;
  std::optional<std::chrono::milliseconds> limit_;
  unsigned runs_ = 0;
};

}  // namespace tapedeck::cli
