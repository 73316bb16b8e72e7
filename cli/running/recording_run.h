#pragma once
// Runs a recording from its start to the finished cassette. Used by `record` and by the device side of `--mode new`.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cassettes/write/cassette_writer.h"
#include "cli/options/device_options.h"
#include "cli/options/rule_options.h"
#include "cli/options/strict.h"
#include "cli/reports/record_report.h"
#include "journal/journal.h"
#include "proxy/recorder.h"
#include "proxy/secret_count.h"

namespace tapedeck::cli {

struct RecordingOptions {
  DeviceOptions device;
  RuleOptions rules;
  PrivateCommandOptions private_values;
  http::Limits limits;
  std::string cassette;  ///< cassette that gets a new take, or is created
  std::string note;
  bool discards_logins = false;                                ///< a run that stores only logins adds no take
  bool block_writes = false;                                   ///< requests that change the device get error 105
  std::string unblock_hint = "record without --block-writes";  ///< how to let them pass
  bool strict_scan = false;
  cassettes::WriteOptions writing;
};

class RecordingRun {
 public:
  using Unreported = proxy::RecordingScopes::Unreported;
  /// The server-side objects and callbacks that a recording needs.
  struct Start {
    http::EventLoop& loop;  ///< loop of the server, which has one thread
    bool tls = false;       ///< clients use https
    journal::Journal* journal = nullptr;
    /// Connects to the device first, and prompts on a terminal if its certificate is not trusted.
    bool checks_device = false;
    /// Stops the server. Called once, on any thread, if the recording cannot continue.
    std::function<void()> end = {};
    /// See proxy::Recorder::Callbacks::blocked_in.
    std::function<void(const api::ScopeName& scope)> blocked_in = {};
  };

  /// Finishes the recording that a killed recorder left, and reads rules and keys. Throws UsageError, CassetteError, or
  /// std::runtime_error.
  explicit RecordingRun(RecordingOptions options);
  ~RecordingRun();
  RecordingRun(const RecordingRun&) = delete;
  RecordingRun& operator=(const RecordingRun&) = delete;

  /// Opens the cassette and connects the recorder to the device. Throws CassetteError, or std::runtime_error if the
  /// device was checked and cannot be reached.
  void start(Start start);
  /// Begins the take. Nothing is written before.
  void begin() { writer_->begin(); }

  [[nodiscard]] const http::RelayOptions& relay() const { return relay_options_; }
  [[nodiscard]] scrubbers::Scrubber& scrubber() { return *scrubber_; }
  [[nodiscard]] std::string scrub_text(std::string_view text) const { return scrubber_->scrub_text(text); }
  [[nodiscard]] proxy::Recorder& recorder() { return *recorder_; }
  [[nodiscard]] proxy::RecorderStats stats() const { return recorder_->stats(); }
  [[nodiscard]] proxy::RecordingScopes& scopes() { return scopes_; }
  [[nodiscard]] const proxy::SecretCount& secrets() const { return secrets_; }

  /// Stores a marker. Callable from any thread.
  void mark(const std::string& name);
  void show_progress() { progress_.show(recorder_->stats()); }
  /// Ends the run because of an internal failure. `why` must be scrubbed. Callable from any thread.
  void end_with(const std::string& why);
  [[nodiscard]] bool has_failed() const { return failed_; }
  /// Gives the device a short time to finish responses, less than clients have. Call it on the loop's thread.
  void shut_down();
  /// Closes the connections to the device immediately.
  void disconnect() { relay_->shut_down(); }

  /// Waits until everything is stored, finishes the cassette, and prints the summary. Call it after the loop has ended.
  /// With `keep` false, the recording becomes CASSETTE.failed. With `unless_empty`, a recording without interactions
  /// leaves no file. Runs of scopes without a result are dropped if they were interrupted
  /// (proxy::RecordingScopes::end). Returns the exit status.
  [[nodiscard]] int finish(bool keep, bool unless_empty, const Strict& strict, std::uint64_t refused,
                           Unreported unreported = Unreported::interrupted);

 private:
  using Lines = std::span<const proxy::RecordedLine>;
  void drop_interrupted(Unreported unreported);
  void connect(const Start& start);
  void log(Lines lines);
  [[nodiscard]] cassettes::Take take_of_now() const;
  void drain();
  [[nodiscard]] std::unique_ptr<cassettes::CassetteWriter> take_writer();
  [[nodiscard]] cassettes::FinishReport finish_cassette(bool keep, bool unless_empty);

  const RecordingOptions options_;
  http::RelayOptions relay_options_;
  scrubbers::ScrubberOptions scrubbing_;
  std::shared_ptr<scrubbers::Scrubber> scrubber_;  ///< shared with the journal
  journal::Journal* journal_ = nullptr;
  http::EventLoop* loop_ = nullptr;
  std::function<void()> end_;
  std::atomic<bool> failed_ = false;
  RecordProgress progress_;
  proxy::SecretCount secrets_;
  std::mutex writer_mutex_;  ///< guards writer_, which the control API's threads use as well
  std::unique_ptr<cassettes::CassetteWriter> writer_;
  std::unique_ptr<http::Relay> relay_;
  proxy::RecordingScopes scopes_;
  std::unique_ptr<proxy::Recorder> recorder_;
};

}  // namespace tapedeck::cli
