#pragma once
// Represents the device behind a replay server, for requests that its cassettes do not contain (docs/recording.md,
// "Complete a recording"). `record` and `exec` with `--mode new` use it. It connects the recorder and the cassette
// that is completed.

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/running/recording_run.h"
#include "cli/running/replay_run.h"
#include "replay/chain/replay_options.h"
#include "replay/chain/request_context.h"

namespace tapedeck::cli {

struct DeviceSideOptions {
  RecordingOptions recording;
  bool plays = true;                     ///< mode "new": recorded responses are replayed; false: everything is recorded
  bool allow_writes = false;             ///< only for warnings
  bool ends_on_signals = true;           ///< true to shut down on signals
  std::vector<api::ScopeName> rerecord;  ///< scopes to record even though a cassette has them
};

/// Returns the options with the rules, pseudonyms, and limits of the command.
[[nodiscard]] RecordingOptions recording_options(RecordingOptions options, const ReplayCommandOptions& command);

/// A running replay server whose last stage is the device.
class DeviceSide : public replay::End {
 public:
  /// Opens the cassettes of `replay` and prepares the recording. Throws UsageError, CassetteError, or
  /// std::runtime_error.
  DeviceSide(DeviceSideOptions options, ReplayCommandOptions replay, const std::string& command);
  ~DeviceSide() override;
  DeviceSide(const DeviceSide&) = delete;
  DeviceSide& operator=(const DeviceSide&) = delete;

  [[nodiscard]] ReplayRun& run() { return *run_; }
  void handle(std::shared_ptr<http::Exchange> exchange, const replay::RequestContext& context) override;

  /// Logs that the server accepts requests, and its address.
  void announce() { run_->announce(); }
  /// Ends the run. The device has slightly less time to respond than the clients have. Callable from any thread.
  void shut_down();
  /// Returns true if the result of a scope was reported. Scopes that failed or have no result are discarded, and the
  /// rest may be kept.
  [[nodiscard]] bool has_results() const { return has_results_; }

  [[nodiscard]] std::string scrub_text(std::string_view text) const { return recording_.scrub_text(text); }

  /// Finishes the new recording, and replaces the cassette by it. With `keep` false, the
  /// recording becomes CASSETTE.failed. If nothing was recorded, the cassette stays unchanged. Prints a summary and
  /// returns the exit status.
  [[nodiscard]] int finish(bool keep, const Strict& strict,
                           RecordingRun::Unreported unreported = RecordingRun::Unreported::interrupted);

 private:
  void steer(inspector::Subject& subject, const replay::ReplayHandler& handler);
  /// Returns callbacks that report results of scopes to the recorder as well as to the replay server, whose callbacks
  /// are `played`. A client of the control API may call them before `run_` is set, so they use only `handler` of it.
  [[nodiscard]] inspector::ScopeCalls scope_calls(inspector::ScopeCalls played, const replay::ReplayHandler& handler);
  void blocked_in(const api::ScopeName& scope);

  DeviceSideOptions options_;
  std::unique_ptr<ReplayRun> run_;  ///< outlives the objects that run on its loop
  std::atomic<bool> has_results_ = false;
  const std::optional<api::ScopeName> default_scope_;
  std::atomic<bool> is_begun_ = false;  ///< the recording has started
  std::set<std::string> blocked_;       ///< runs of scopes in which a write was not sent; used on the main loop only
  RecordingRun recording_;
};

}  // namespace tapedeck::cli
