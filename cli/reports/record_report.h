#pragma once
// Prints the output of `record` while it runs and when it ends.

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

/// Shows progress: on a terminal one live line with the last few calls below it, and otherwise log lines.
class RecordProgress {
 public:
  RecordProgress();
  /// Logs one interaction. On a terminal, logs only failures. Callable from any thread.
  void log(const proxy::RecordedLine& line, const scrubbers::Scrubber& scrubber, bool is_disk_full);
  void show(const proxy::RecorderStats& stats);
  /// Erases the live line if it is shown.
  void end_line();

 private:
  void draw(const std::string& line);
  void erase();
  /// Returns a scrubbed key as the log shows it. Results are cached, because clients repeat their requests.
  [[nodiscard]] std::string guarded(std::string key);

  bool terminal_;
  std::mutex mutex_;  ///< guards the members below, because log() is called on other threads
  std::deque<std::string> calls_;
  std::unordered_map<std::string, std::string> guarded_;
  std::string live_;       ///< the live line that is shown; empty without one
  std::size_t below_ = 0;  ///< number of lines shown below it
  bool is_stale_ = false;  ///< true if the shown calls differ from calls_
};

/// The results of a recording that has ended.
struct RecordingEnd {
  proxy::RecorderStats stats;
  std::map<std::string, proxy::ApiCount> by_api;
  const scrubbers::Scrubber& scrubber;
  cassettes::FinishReport report;
  std::vector<std::string> clashes;  ///< result of RecordingScopes::clashes()
  std::uint64_t refused = 0;         ///< requests that the gate refused
};

/// Prints the summary by API, and warnings. Returns the exit status (docs/reference.md, "Exit status").
[[nodiscard]] int report_recording(const RecordingEnd& end, const std::string& cassette, const Strict& strict);

}  // namespace tapedeck::cli
