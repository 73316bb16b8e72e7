#pragma once
// Creates the report of `exec` about a finished run.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/strict.h"
#include "cli/reports/report_file.h"
#include "cli/running/replay_run.h"

namespace tapedeck::cli {

struct RunReport {
  int command_status = 0;
  int exit_status = 0;
  int recording_status = 0;  ///< exit status for the recording alone; 0 without one
  Strict strict;
  bool damaged = false;
  replay::ReplayStats stats;
  std::vector<replay::Notice> notices;           ///< distinct notices
  EventCounts broken;                            ///< the events that made the exit status 3, as --strict names them
  std::vector<journal::JournalTotal> fallbacks;  ///< totals of fallbacks by API and method
  std::vector<std::string> unused_overlays;      ///< overlays that were never used
  std::vector<std::string> scopes;               ///< names of the scopes that ran, sorted, as they are displayed
  ReplayRun::Unplayed unplayed;
  std::uint64_t refused = 0;          ///< requests that the gate refused
  std::vector<std::string> refusals;  ///< distinct refused requests, each with the option that would allow it

  /// Returns the texts of one kind, each with its scope.
  [[nodiscard]] std::vector<std::string> lines(replay::Notice::Kind kind) const;
};

/// Collects the report of a run that has stopped.
[[nodiscard]] RunReport gather_report(ReplayRun& run, int command_status, const Strict& strict);

/// Replaces every text in the report by the result of `shown`. Used for a run that has learned secrets.
void hide(RunReport& report, const std::function<std::string(std::string_view text)>& shown);

/// Prints a few lines on standard error.
void print_report(const RunReport& report);
[[nodiscard]] std::string report_json(const RunReport& report);

/// Returns the suite of a run. It has a test case for the command, and one for each scope that ran, which fails if the
/// scope had misses. Events outside of scopes have a case each: every distinct miss, every operation with a fallback
/// response, every key that was out of order, past its end, or derived, and every distinct refused request. These cases
/// fail if --strict names the event. Every other event that makes the exit status 3, and a recording that is not
/// complete, adds a failed case.
[[nodiscard]] Suite report_suite(const RunReport& report, std::string name);

}  // namespace tapedeck::cli
