#pragma once
// What `exec` says about a run when it is over.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/strict.h"
#include "cli/running/replay_run.h"

namespace tapedeck::cli {

struct RunReport {
  int command_status = 0;
  int exit_status = 0;
  Strict strict;
  bool damaged = false;
  replay::ReplayStats stats;
  std::vector<replay::Notice> notices;           ///< distinct ones
  EventCounts broken;                               ///< what made the exit status 3, by the words of --strict
  std::vector<journal::JournalTotal> fallbacks;  ///< by API and method
  std::vector<std::string> unused_overlays;      ///< that never played
  std::vector<std::string> scopes;               ///< names of those that ran, sorted, as they are shown
  ReplayRun::Unplayed unplayed;
  std::uint64_t refused = 0;          ///< requests that the gate refused
  std::vector<std::string> refusals;  ///< the distinct ones, each with the option that would allow it

  /// The texts of one kind, each with the scope that it was in.
  [[nodiscard]] std::vector<std::string> lines(replay::Notice::Kind kind) const;
};

/// Of a run that has stopped.
[[nodiscard]] RunReport gather_report(ReplayRun& run, int command_status, const Strict& strict);

/// Puts every text of it through `shown`: for a run that has learned secrets.
void hide(RunReport& report, const std::function<std::string(std::string_view text)>& shown);

/// A few lines on standard error.
void print_report(const RunReport& report);
[[nodiscard]] std::string report_json(const RunReport& report);

/// A test suite of a JUnit file.
struct Suite {
  std::string name;
  std::size_t cases = 0, failures = 0;
  std::string body;    ///< the cases, as XML
  std::string output;  ///< one line; empty: none

  /// An empty failure says that the case passed.
  void add(const std::string& group, const std::string& title, const std::string& failure);
};
/// A case for the command, one for each scope that ran, which fails with its misses; outside of scopes one for each
/// distinct miss, each operation that a fallback answered, each key out of order, past its end, or derived, and each
/// distinct request that was refused. Those fail where --strict names them, and for every other word that makes the exit
/// status 3 there is a case that fails.
[[nodiscard]] Suite report_suite(const RunReport& report, std::string name);
/// JUnit XML.
[[nodiscard]] std::string junit_document(const std::vector<Suite>& suites);
/// Text as it may stand in XML 1.0: escaped, and U+FFFD for what XML cannot hold.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace tapedeck::cli
