#pragma once
// What `record` says while it runs and when it ends.

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cassettes/finish/finish.h"
#include "cli/options/strict.h"
#include "proxy/recorder.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// On a terminal one live line with the last few calls below it, otherwise log lines.
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
  void erase();
  /// What a scrubbed key is in the log. Kept for a while: a client asks the same again and again.
  [[nodiscard]] std::string guarded(std::string key);

  bool terminal_;
  std::mutex mutex_;  ///< guards what follows: log() comes from other threads
  std::deque<std::string> calls_;
  std::unordered_map<std::string, std::string> guarded_;
  std::string live_;       ///< the live line that stands there; empty: none
  std::size_t below_ = 0;  ///< lines that stand below it
  bool is_stale_ = false;  ///< calls_ are not what stands there
};

/// A recording that has ended.
struct RecordingEnd {
  proxy::RecorderStats stats;
  std::map<std::string, proxy::ApiCount> by_api;
  const scrubbers::Scrubber& scrubber;
  cassettes::FinishReport report;
  std::vector<std::string> clashes;  ///< RecordingScopes::clashes
  std::uint64_t refused = 0;         ///< requests that the gate refused
};

/// Prints the summary by API and what else is to be known; returns the exit status (docs/reference.md, "Exit status").
[[nodiscard]] int report_recording(const RecordingEnd& end, const std::string& cassette, const Strict& strict);

}  // namespace tapedeck::cli
