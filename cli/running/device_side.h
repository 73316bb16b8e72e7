#pragma once
// The device behind a replay server, for what its cassettes do not answer (docs/recording.md, "Complete a recording"):
// `record --mode new` and `exec --record`. Recorder, device session and the cassette that is completed are put together
// here.

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/running/recording_run.h"
#include "cli/running/replay_run.h"
#include "replay/chain/chain.h"

namespace tapedeck::cli {

struct DeviceSideOptions {
  RecordingOptions recording;
  bool plays = true;                     ///< mode "new": what the cassettes have is played; false: nothing is
  bool allow_writes = false;             ///< for warnings
  bool ends_on_signals = true;           ///< from before anything is recorded
  std::vector<api::ScopeName> rerecord;  ///< scopes that are recorded though a cassette has them
};

/// A run of the replay server, with the end of its chain.
class DeviceSide : public replay::End {
 public:
  /// Reads the account's password, or asks for it; opens the cassettes of `replay`; begins to record.
  /// Throws UsageError, CassetteError or std::runtime_error.
  DeviceSide(DeviceSideOptions options, ReplayCommandOptions replay, const std::string& command);
  ~DeviceSide() override;
  DeviceSide(const DeviceSide&) = delete;
  DeviceSide& operator=(const DeviceSide&) = delete;

  [[nodiscard]] ReplayRun& run() { return *run_; }
  /// Logs in at the device now, for people to be asked while nothing else runs. The run is being served. Returns why
  /// not; nothing: the session is open.
  [[nodiscard]] std::optional<std::string> open_session();

  void handle(std::shared_ptr<http::Exchange> exchange, const replay::RequestContext& context) override;

  /// That the run accepts, and where.
  void announce() { run_->announce(); }
  /// Ends the run. The device has a little less time to answer than the clients have. From any thread.
  void shut_down();
  /// Some scope was reported as failed: what failed is told, and the rest may be kept.
  [[nodiscard]] bool has_failed_scope() const { return has_failed_scope_; }

  [[nodiscard]] std::string scrub_text(std::string_view text) const { return recording_.scrub_text(text); }

  /// After the run: logs out, finishes what was recorded, and lets it take the cassette's place, or with `keep` false
  /// become CASSETTE.failed. Where nothing was recorded the cassette stays as it was. Prints a summary and returns the
  /// exit status.
  [[nodiscard]] int finish(bool keep, const Strict& strict);

 private:
  void steer(inspector::Subject& subject);
  /// Scopes are begun and reported on here: what the replay server plays of them, it keeps.
  [[nodiscard]] inspector::ScopeCalls scope_calls(inspector::ScopeCalls played);
  [[nodiscard]] bool is_recorded(const api::ScopeName& scope) const;
  void blocked_in(const api::ScopeName& scope);

  DeviceSideOptions options_;
  std::unique_ptr<ReplayRun> run_;  ///< its loop outlives what runs on it
  std::atomic<bool> has_failed_scope_ = false;
  std::atomic<bool> is_begun_ = false;  ///< the recording has started
  std::set<std::string> blocked_;  ///< runs of scopes in which a write was not sent; of the main loop
  RecordingRun recording_;
};

}  // namespace tapedeck::cli
