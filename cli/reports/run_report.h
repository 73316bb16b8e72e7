#pragma once
// What `exec` says about a run when it is over.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/running/replay_run.h"

namespace tapedeck::cli {

struct RunReport {
  static constexpr std::size_t most_listed = 1'000;  ///< of each list; the counts are of all

  int command_status = 0;
  int exit_status = 0;
  bool strict = false;
  bool damaged = false;
  replay::ReplayStats stats;
  std::vector<std::string> misses;               ///< distinct ones
  std::vector<journal::JournalTotal> fallbacks;  ///< by API and method
  std::vector<std::string> unused_overlays;      ///< that never played
  std::uint64_t unused_recordings = 0, unused_sequences = 0, unfinished_sequences = 0;
  std::vector<replay::SequenceUse> unused;      ///< sequences of which nothing was played
  std::vector<replay::SequenceUse> unfinished;  ///< sequences that were begun, but not to their end
};

/// Of a run that has stopped.
[[nodiscard]] RunReport gather_report(ReplayRun& run, int command_status, bool strict);

/// A few lines on standard error.
void print_report(const RunReport& report);
[[nodiscard]] std::string report_json(const RunReport& report);
/// JUnit XML: a case for the command, one for each distinct miss, one for each operation that a fallback answered; a
/// fallback fails under --strict alone.
[[nodiscard]] std::string report_junit(const RunReport& report);
/// Text as it may stand in XML 1.0: escaped, and U+FFFD for what XML cannot hold.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace tapedeck::cli
