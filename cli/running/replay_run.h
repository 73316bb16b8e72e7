#pragma once
// A replay server with all that stands around it: for `replay` and for `exec`.

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/options/control_options.h"
#include "cli/options/replay_options.h"
#include "cli/options/strict.h"
#include "cli/running/ready_file.h"
#include "cli/running/server.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {

class ReplayRun {
 public:
  /// Changes what the control API of a replay server would control.
  using ChangeSubject = std::function<void(inspector::Subject&)>;
  /// Listens; throws UsageError, CassetteError or std::runtime_error when it cannot serve.
  ReplayRun(const ReplayCommandOptions& options, std::string command, const ChangeSubject& change_subject = {});
  ~ReplayRun();
  ReplayRun(const ReplayRun&) = delete;
  ReplayRun& operator=(const ReplayRun&) = delete;

  [[nodiscard]] Server& server() { return server_; }
  [[nodiscard]] replay::ReplayHandler& handler() { return *handler_; }
  [[nodiscard]] const journal::Journal* journal() const { return journal_.get(); }
  [[nodiscard]] journal::Journal* journal() { return journal_.get(); }
  /// Null without --control.
  [[nodiscard]] const inspector::ControlServer* control() const { return control_.get(); }
  /// Nothing is controlled any more.
  void end_control() { control_.reset(); }

  /// Says where it listens, in the log and the ready file: clients wait in the port's queue until serve(). Throws
  /// std::runtime_error when the file cannot be written.
  void announce(const ReadyValues& more = {});
  /// Serves on this thread until shut_down() is through.
  void serve();
  /// Callable from any thread.
  void shut_down();

  /// A cassette was found damaged, and the server has stopped because of it.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }
  /// The first distinct ones, as they were logged.
  [[nodiscard]] std::vector<replay::Notice> notices() const;
  /// The distinct requests that the gate refused, each with the option that would allow it.
  [[nodiscard]] std::vector<std::string> refusals() const;
  /// What of the cassettes was never played, and what was begun and not played to its end: of what has no scope and of
  /// scopes that ran, without logins and API.Info. For a run that has stopped.
  struct Unplayed {
    static constexpr std::size_t most_listed = 1'000;  ///< of each list; the counts are of all
    std::uint64_t unused_recordings = 0, unused_sequences = 0, unfinished_sequences = 0;
    std::vector<replay::SequenceUse> unused, unfinished;
  };
  [[nodiscard]] Unplayed unplayed() const;
  /// By the words of --strict.
  [[nodiscard]] EventCounts event_counts(const Unplayed& unplayed) const;

 private:
  [[nodiscard]] replay::ReplayOptions handling(const ReplayCommandOptions& options);
  void damaged(const std::string& line);
  void noticed(const replay::Notice& notice);
  void watch_overlays();
  void watch_cassettes(const std::stop_token& stop);
  void check_large_cassettes(const std::stop_token& stop);

  const std::string command_;
  const ControlOptions control_options_;
  const bool has_cassettes_, watches_;
  std::atomic<bool> is_damaged_ = false;
  mutable std::mutex mutex_;
  std::map<replay::Notice::Kind, std::vector<replay::Notice>> notices_;  ///< guarded by mutex_
  std::vector<std::string> refusals_;                                    ///< guarded by mutex_
  ReadyFile ready_;
  std::unique_ptr<journal::Journal> journal_;
  Server server_;
  std::unique_ptr<replay::ReplayHandler> handler_;
  ScopePorts ports_{server_};
  std::unique_ptr<inspector::ControlServer> control_;
  std::jthread watcher_;  ///< ends before what it looks at
};

/// "recorded 3, built in 1, …": for the end of a run.
[[nodiscard]] std::string counts_line(const replay::ReplayStats& stats);
/// Those that never played, with where they stand.
[[nodiscard]] std::vector<std::string> unused_overlays(const replay::OverlayStore& overlays);

/// Serves on another thread; what goes wrong there is thrown by stop().
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
  std::jthread thread_;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// TAPEDECK_URL and what else a command gets, and NO_PROXY so that no proxy stands between it and this machine.
/// Requires that the run has the control API.
[[nodiscard]] Environment environment_of(ReplayRun& run, const std::vector<std::string>& cassettes);

}  // namespace tapedeck::cli
