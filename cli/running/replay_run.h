#pragma once
// Runs a replay server with its control API, journal, and files, for `replay` and `exec`.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/joined_thread.h"
#include "cli/options/replay_options.h"
#include "cli/options/strict.h"
#include "cli/running/control.h"
#include "cli/running/server.h"
#include "replay/recorded/usage.h"

namespace tapedeck::replay {
class OverlayStore;
class ReplayHandler;
}  // namespace tapedeck::replay

namespace tapedeck::cli {

class ReplayRun {
 public:
  /// Changes the subject of the control API before it is served. The handler lives as long as the run.
  using ChangeSubject = std::function<void(inspector::Subject&, const replay::ReplayHandler&)>;
  /// Opens the cassettes and listens. Throws UsageError, CassetteError, or std::runtime_error.
  ReplayRun(const ReplayCommandOptions& options, std::string command, const ChangeSubject& change_subject = {});
  ~ReplayRun();
  ReplayRun(const ReplayRun&) = delete;
  ReplayRun& operator=(const ReplayRun&) = delete;

  [[nodiscard]] Server& server() { return server_; }
  [[nodiscard]] replay::ReplayHandler& handler() { return *handler_; }
  [[nodiscard]] RunControl& control() { return control_; }

  /// Publishes the address in the log and the ready file. Clients that connect wait in the port's queue until serve().
  /// Throws std::runtime_error if the file cannot be written.
  void announce();
  /// Serves on this thread until shut_down() has finished.
  void serve();
  /// Ends the server. Callable from any thread.
  void shut_down();

  /// Returns true if the server stopped because a cassette is damaged.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }
  /// Returns the first distinct notices, as they were logged.
  [[nodiscard]] std::vector<replay::Notice> notices() const;
  /// Returns the distinct requests that the gate refused, each with the option that would allow it.
  [[nodiscard]] std::vector<std::string> refusals() const;
  /// Recordings that were never used, and sequences that were not played to their end. Covers recordings without a
  /// scope and the scopes that ran, and leaves out logins and API.Info. Valid once the run has stopped.
  struct Unplayed {
    static constexpr std::size_t most_listed = 1'000;  ///< limit of each list; the counts are complete
    std::uint64_t unused_recordings = 0, unused_sequences = 0, unfinished_sequences = 0;
    std::vector<replay::SequenceUse> unused, unfinished;
  };
  [[nodiscard]] Unplayed unplayed() const;
  /// Returns the counts by the words of --strict.
  [[nodiscard]] EventCounts event_counts(const Unplayed& unplayed) const;

 private:
  [[nodiscard]] replay::ReplayOptions handling(const ReplayCommandOptions& options);
  void damaged(const std::string& line);
  void watch_overlays();
  void watch_requests();
  /// Logs the requests since the last call. Called on the main loop, and after it has ended.
  void log_requests();
  void watch_cassettes();
  void check_large_cassettes();
  void stop_watching();

  [[nodiscard]] inspector::Subject subject();

  const bool has_cassettes_;
  const std::string played_;  ///< what is replayed, for the log
  std::atomic<bool> is_damaged_ = false;
  bool logs_requests_ = false;
  std::uint64_t logged_ = 0;  ///< number of the last request in the log
  mutable std::mutex mutex_;
  std::map<replay::Notice::Kind, std::vector<replay::Notice>> notices_;  ///< guarded by mutex_
  std::vector<std::string> refusals_;                                    ///< guarded by mutex_
  RunControl control_;
  Server server_;
  std::unique_ptr<replay::ReplayHandler> handler_;
  ScopePorts ports_{server_};
  std::mutex watch_mutex_;
  std::condition_variable watch_ends_;
  std::atomic<bool> has_watched_enough_ = false;  ///< set with watch_mutex_
  base::JoinedThread watcher_;
};

/// Returns the text of a notice with its scope.
[[nodiscard]] std::string notice_line(const replay::Notice& notice);
/// Returns a summary for the end of a run, such as "replayed 3, built in 1, …".
[[nodiscard]] std::string counts_line(const replay::ReplayStats& stats);
/// Returns the overlays that were never used, each with its file and line.
[[nodiscard]] std::vector<std::string> unused_overlays(const replay::OverlayStore& overlays);

/// Serves on another thread. stop() throws the exceptions of that thread.
class ServerThread {
 public:
  explicit ServerThread(ReplayRun& run)
      : run_(run), thread_([this] {
          try {
            run_.serve();
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}
  ~ServerThread() { run_.shut_down(); }
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;
  void stop() {
    run_.shut_down();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  ReplayRun& run_;
  std::exception_ptr failure_;
  base::JoinedThread thread_;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Returns TAPEDECK_URL and the other variables for a command, and NO_PROXY so that requests to this machine bypass
/// proxies. Requires that the run has the control API.
[[nodiscard]] Environment environment_of(ReplayRun& run, const std::vector<std::string>& cassettes);

}  // namespace tapedeck::cli
