#pragma once
// Runs the leak scan on a file before it becomes a cassette.

#include <atomic>
#include <cstdint>
#include <future>
#include <string>

#include "cassettes/finish/survey.h"
#include "scan/leak_scan.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cassettes {

/// What the scan found, besides its lines in the report.
struct Leaks {
  /// Content with a learned value, or that could not be searched to the end.
  Withheld withheld;
  Fingerprints matched;    ///< the allowed fingerprints that were found
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

  /// Waits for the result. Adds the findings to the report, without values.
  [[nodiscard]] Leaks end(const Progress& progress, FinishReport& report);

 private:
  void name_findings(const scan::ScanReport& found, Leaks& leaks, FinishReport& report) const;

  std::string path_;
  scan::LearnedValues learned_;
  scan::ScanOptions options_;
  std::atomic<std::uint64_t> done_ = 0, total_ = 0;
  std::atomic<bool> stop_ = false;
  std::future<scan::ScanReport> search_;
};

}  // namespace tapedeck::cassettes
