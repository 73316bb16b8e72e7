#pragma once
// Creates the report of `exec` about a finished run, and writes it as JSON or as JUnit XML, which CI systems display.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/strict.h"
#include "cli/running/replay_run.h"

namespace tapedeck::cli {

/// Collects the report of a run that has stopped, as the JSON that --report writes. The lists in `outside` and in each
/// of `scopes` have one member for each kind of event, such as `misses`; `happened` has the events that made the exit
/// status 3.
[[nodiscard]] nlohmann::json gather_report(ReplayRun& run, int command_status, const Strict& strict);

/// Replaces every recorded text in the report by the result of `shown`. Used for a run that has learned secrets.
void hide(nlohmann::json& report, const std::function<std::string(std::string_view text)>& shown);

/// Returns the first miss, or "-" without any.
[[nodiscard]] std::string first_miss(const nlohmann::json& report);
/// Prints a few lines on standard error.
void print_report(const nlohmann::json& report);

/// Returns a JUnit document with a suite for each named report. A suite has a test case for the command, and one for
/// each scope that ran, which fails if an event in it makes the run fail. Events outside of scopes have a case each:
/// every distinct miss, every operation with a fallback response, every key that was out of order, past its end, or
/// derived, and every distinct refused request. These cases fail if --strict names the event. Every other event that
/// makes the exit status 3, and a recording that is not complete, adds a failed case.
[[nodiscard]] std::string junit_document(const std::vector<std::pair<std::string, nlohmann::json>>& reports);

/// Writes the file of --report.
class ReportFile {
 public:
  /// Removes the report of an earlier run, so that it cannot be mistaken for the report of this one. Throws
  /// std::runtime_error if the file cannot be written; this happens before the command runs, so that a wrong path does
  /// not waste a run. With an empty path, no report is written.
  explicit ReportFile(std::string path);
  /// Returns true for JUnit XML, and false for JSON.
  [[nodiscard]] bool is_xml() const { return path_.ends_with(".xml"); }
  void write(std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace tapedeck::cli
