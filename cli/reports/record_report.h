#pragma once
// What `record` says while it runs and when it ends.

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cassettes/finish/finish.h"
#include "cli/options/strict.h"
#include "proxy/recorder.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// On a terminal one live line, otherwise log lines.
class RecordProgress {
 public:
  RecordProgress();
  /// A log line for one interaction; on a terminal only for what went wrong. From any thread.
  void log(const proxy::RecordedLine& line, const scrubbers::Scrubber& scrubber);
  void show(const proxy::RecorderStats& stats);
  /// Ends the live line, if one stands there.
  void end_line();

 private:
  void draw(const std::string& line);

  bool terminal_;
  std::mutex mutex_;  ///< guards shown_: log() comes from other threads
  std::string shown_;
};

/// A recording that has ended.
struct RecordingEnd {
  proxy::RecorderStats stats;
  std::map<std::string, proxy::ApiCount> by_api;
  scrubbers::ScrubStats scrubbed;
  cassettes::FinishReport report;
  std::vector<std::string> clashes;  ///< RecordingScopes::clashes
};

/// Prints the summary by API and what else is to be known; returns the exit status (semantics §5).
[[nodiscard]] int report_recording(const RecordingEnd& end, const std::string& cassette, const Strict& strict);

}  // namespace tapedeck::cli
