#pragma once
// The device behind a replay server, for what its cassettes do not answer (toolkit §3): `record --mode new` and
// `exec --record`. Recorder, device session and the cassette that is completed are put together here.

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/write/cassette_writer.h"
#include "cli/options/device_options.h"
#include "cli/options/private_options.h"
#include "cli/options/rule_options.h"
#include "cli/options/strict.h"
#include "cli/reports/record_report.h"
#include "cli/running/finish_recording.h"
#include "cli/running/replay_run.h"
#include "http/device/relay.h"
#include "proxy/device_session.h"
#include "proxy/exchanged_device.h"
#include "proxy/parts.h"
#include "proxy/recorder.h"
#include "proxy/recording_scopes.h"
#include "proxy/secret_count.h"
#include "replay/chain.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

struct DeviceSideOptions {
  DeviceOptions device;
  RuleOptions rules;
  PrivateCommandOptions private_values;
  http::Limits limits;
  std::string cassette;  ///< gets another take, or is made
  std::string note;
  bool plays = true;  ///< mode "new": what the cassettes have is played; false: everything goes to the device
  bool allow_writes = false;
  bool strict_scan = false;
  cassettes::WriteOptions writing;
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

  void handle(std::shared_ptr<http::Exchange> exchange, const replay::Visit& visit) override;

  /// That the run accepts, and where.
  void announce() { run_->announce(); }
  /// Ends the run. The device has a little less time to answer than the clients have. From any thread.
  void shut_down();
  /// Some scope was reported as failed: what failed is told, and the rest may be kept.
  [[nodiscard]] bool has_failed_scope() const { return has_failed_scope_; }

  /// A text of ours without what was learned.
  [[nodiscard]] std::string scrub_text(std::string_view text) const { return scrubber_->scrub_text(text); }

  /// After the run: logs out, finishes what was recorded, and lets it take the cassette's place, or with `keep` false
  /// become CASSETTE.failed. Where nothing was recorded the cassette stays as it was. Prints a summary and returns the
  /// exit status.
  [[nodiscard]] int finish(bool keep, const Strict& strict);

 private:
  using Lines = std::span<const proxy::RecordedLine>;
  void steer(inspector::Subject& subject);
  /// Scopes are begun and reported on here: what the replay server plays of them, it keeps.
  [[nodiscard]] inspector::ScopeCalls scope_calls(inspector::ScopeCalls played);
  [[nodiscard]] bool is_recorded(const api::ScopeName& scope) const;
  void blocked_in(const api::ScopeName& scope);
  void begin_recording();
  void make_recorder();
  void log(Lines lines);
  void end_with(const std::string& why);
  [[nodiscard]] proxy::DeviceSession::Told session_told();
  void log_outcome(const cassettes::FinishReport& report);

  DeviceSideOptions options_;
  http::RelayOptions relay_options_;
  const RecordingExtras extras_;
  std::unique_ptr<ReplayRun> run_;  ///< its loop outlives what runs on it
  std::atomic<bool> failed_ = false, has_failed_scope_ = false;
  std::atomic<bool> is_begun_ = false;     ///< everything below is there
  std::set<std::string> blocked_;          ///< runs of scopes in which a write was not sent; of the main loop
  RecordProgress progress_;
  proxy::SecretCount secrets_;
  std::shared_ptr<scrubbers::PrivateProfile> profile_;  ///< null without --private
  std::shared_ptr<scrubbers::Scrubber> scrubber_;
  std::unique_ptr<http::Relay> relay_;
  std::unique_ptr<cassettes::CassetteWriter> writer_;
  std::unique_ptr<proxy::Parts> parts_;
  std::unique_ptr<proxy::RelayedCalls> calls_;
  std::unique_ptr<proxy::DeviceSession> session_;
  std::unique_ptr<proxy::ExchangedDevice> exchanged_;
  proxy::RecordingScopes scopes_;
  std::unique_ptr<proxy::Recorder> recorder_;
};

}  // namespace tapedeck::cli
