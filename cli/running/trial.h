#pragma once
// Running a command many times, each time against another cassette or other overlays, and saying what became of it: for
// `exec --each`, `forecast`, and `capsule`.

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
#include "cli/running/junit_file.h"

namespace tapedeck::cli {

class ReplayRun;

/// What differs from one run of the command to the next.
struct Trial {
  std::vector<std::string> cassettes;
  std::vector<std::string> overlays;
};

struct TrialResult {
  int status = 0;
  bool has_run = false;     ///< false: there is no such command, and `status` is 127 or 126
  bool is_late = false;     ///< it was ended because it took too long
  bool is_stopped = false;  ///< it was ended by a signal to us or at the end of the time; nothing else counts then
  bool says = false;        ///< its output has TrialOptions::says
  bool has_tests = false;   ///< it has written a JUnit file
  TestResults tests;        ///< of that file
  std::string output;       ///< the last part of it
  std::int64_t took_ms = 0;
  /// Each distinct request, with its scope, and its outcome, with what is not exact of a match: "recorded version=2".
  std::set<std::pair<std::string, std::string>> requests;
  std::set<std::string> recordings;  ///< IDs of the interactions that were played
  std::vector<std::string> misses;   ///< the first lines about them
  std::string report;                ///< TrialOptions::report

  [[nodiscard]] std::vector<std::string> failing() const;
  [[nodiscard]] bool passes() const { return has_run && !is_late && status == 0 && failing().empty(); }
};

struct TrialOptions {
  ReplayCommandOptions replay;  ///< how all of them are served, except for what a Trial says
  std::vector<std::string> command;
  std::string junit;  ///< the file that the command writes, in which {run} is the number of the run; empty: none
  std::string says;   ///< a text that is looked for in its output
  bool shows_output =
      false;  ///< its output, and what the server logs, is shown; else the input is empty and nothing shown
  std::optional<std::chrono::milliseconds> time;  ///< for all of them together
  /// What each run may take beyond five times the first one.
  std::chrono::milliseconds spare{10'000};
  /// Makes a report in the process that ran the command.
  std::function<std::string(ReplayRun& run, int status)> report;
};

/// Each run is a process with its own replay server, so several can run side by side, and nothing of one is left
/// for the next. From the second run on each may take five times as long as the first and
/// TrialOptions::spare more. For a process with one thread.
class TrialRunner {
 public:
  /// Catches SIGINT and SIGTERM from then on.
  explicit TrialRunner(TrialOptions options);

  /// Runs all of them side by side. What goes wrong with a cassette or an overlay is thrown as it was in that run.
  [[nodiscard]] std::vector<TrialResult> run(std::span<const Trial> trials);
  [[nodiscard]] TrialResult run(const Trial& trial);
  /// False when a signal came or the time is over.
  [[nodiscard]] bool goes_on() const;
  [[nodiscard]] bool is_time_over() const;
  /// From now on there is no limit for all of them together.
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
