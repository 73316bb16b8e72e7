#pragma once
// The leak scan over a file that is about to become a cassette.

#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cassettes/file/allowed_findings.h"
#include "cassettes/finish/survey.h"
#include "scan/leak_scan.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cassettes {

struct Leaks {
  std::uint64_t learned = 0;          ///< learned values found
  std::uint64_t heuristic = 0;        ///< what only looks like a secret, and is not allowed
  std::uint64_t allowed = 0;          ///< what only looks like a secret, and is allowed
  Fingerprints matched;               ///< of the allowed fingerprints, those that were met
  std::vector<std::string> findings;  ///< one line each, without the value
  /// Interactions (hex of their names) whose bodies or headers hold a learned value or could not be searched to the end,
  /// and why, one line each.
  std::map<std::string, std::string> interactions;
  std::set<std::string> requests;  ///< of these, the ones whose target or key holds it
  /// Rows of `take`, `scope`, and `mark` (the table and the row's number) whose texts hold one.
  std::set<std::pair<std::string, std::int64_t>> texts;
  std::string incomplete;          ///< what could not be searched to the end, if anything
};

/// Searches every row of a file on its own thread, which starts in the constructor.
class LeakCheck {
 public:
  /// `scrubber` may be null: then only heuristics are left. The file must not change meanwhile.
  /// Suspects that are `allowed` are counted apart.
  LeakCheck(std::string path, const scrubbers::Scrubber* scrubber, const Fingerprints& allowed);
  /// Ends the search.
  ~LeakCheck();
  LeakCheck(const LeakCheck&) = delete;
  LeakCheck& operator=(const LeakCheck&) = delete;

  /// Waits for the end.
  [[nodiscard]] Leaks end(const Progress& progress);

 private:
  void name_findings(const scan::ScanReport& report, Leaks& leaks) const;

  std::string path_;
  scan::LearnedValues learned_;
  scan::ScanOptions options_;
  std::atomic<std::uint64_t> done_ = 0, total_ = 0;
  std::atomic<bool> stop_ = false;
  std::future<scan::ScanReport> search_;
};

}  // namespace tapedeck::cassettes
