#pragma once
// A replay server with all that stands around it: for `replay` and for `exec`.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/options/control_options.h"
#include "cli/options/replay_options.h"
#include "cli/running/ready_file.h"
#include "cli/running/server.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {

class ReplayRun {
 public:
  /// Listens; throws UsageError, CassetteError or std::runtime_error when it cannot serve.
  ReplayRun(const ReplayCommandOptions& options, std::string command);
  ~ReplayRun();
  ReplayRun(const ReplayRun&) = delete;
  ReplayRun& operator=(const ReplayRun&) = delete;

  [[nodiscard]] Server& server() { return server_; }
  [[nodiscard]] replay::ReplayHandler& handler() { return *handler_; }
  [[nodiscard]] const journal::Journal* journal() const { return journal_.get(); }
  /// Null without --control.
  [[nodiscard]] const inspector::ControlServer* control() const { return control_.get(); }

  /// Says where it listens, in the log and the ready file: clients wait in the port's queue until serve(). Throws
  /// std::runtime_error when the file cannot be written.
  void announce();
  /// Serves on this thread until shut_down() is through.
  void serve();
  /// Callable from any thread.
  void shut_down();

  /// A cassette was found damaged, and the server has stopped because of it.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }
  /// The first distinct misses, as they were logged.
  [[nodiscard]] std::vector<std::string> misses() const;

 private:
  [[nodiscard]] replay::ReplayOptions handling(const ReplayCommandOptions& options);
  void damaged(const std::string& line);
  void noticed(const std::string& line);
  void watch_overlays();

  const std::string command_;
  const ControlOptions control_options_;
  const bool has_cassettes_;
  std::atomic<bool> is_damaged_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> misses_;  ///< guarded by mutex_
  ReadyFile ready_;
  std::unique_ptr<journal::Journal> journal_;
  Server server_;
  std::unique_ptr<replay::ReplayHandler> handler_;
  std::unique_ptr<inspector::ControlServer> control_;
};

/// "recorded 3, built in 1, …": for the end of a run.
[[nodiscard]] std::string counts_line(const replay::ReplayStats& stats);
/// Those that never played, with where they stand.
[[nodiscard]] std::vector<std::string> unused_overlays(const replay::OverlayStore& overlays);
/// Semantics §5, "Exit status": what --strict does not let pass.
[[nodiscard]] bool has_gaps(const replay::ReplayStats& stats);

}  // namespace tapedeck::cli
