#pragma once
// Runs the leak scan on a file before it becomes a cassette.

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
  std::uint64_t heuristic = 0;        ///< heuristic findings that are not allowed
  std::uint64_t allowed = 0;          ///< heuristic findings that are allowed
  Fingerprints matched;               ///< the allowed fingerprints that were found
  std::vector<std::string> findings;  ///< one line each, without the value
  /// Interactions (names in hex) whose bodies or headers contain a learned value or could not be searched to the end.
  /// The value is the reason in one line.
  std::map<std::string, std::string> interactions;
  std::set<std::string> requests;  ///< of these, the ones whose target or key contains it
  /// Rows of `take`, `scope`, and `mark` (table and number) whose texts contain a learned value.
  std::set<std::pair<std::string, std::int64_t>> texts;
  std::string incomplete;  ///< description of data that could not be searched to the end; otherwise empty
};

/// Searches every row of a file on its own thread, which starts in the constructor.
class LeakCheck {
 public:
  /// If `scrubber` is null, there are only heuristic findings. The file must not change meanwhile. Findings in
  /// `allowed` are counted separately.
  LeakCheck(std::string path, const scrubbers::Scrubber* scrubber, const Fingerprints& allowed);
  /// Stops the search.
  ~LeakCheck();
  LeakCheck(const LeakCheck&) = delete;
  LeakCheck& operator=(const LeakCheck&) = delete;

  /// Waits for the result.
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
