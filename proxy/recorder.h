#pragma once
// Forwards every request to the device, and stores each scrubbed response before its end is sent to the client
// (docs/recording.md).
//
// Invariant, which its tests name by number:
// 1. A client receives the end of a response after its commit, or after RelayOptions::commit_time. The latter counts as
//    not recorded unless the commit succeeds later.

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cassettes/write/cassette_writer.h"
#include "http/device/relay.h"
#include "http/io/event_loop.h"
#include "proxy/loop_guard.h"
#include "proxy/recording_scopes.h"
#include "proxy/rewrite.h"
#include "proxy/socket_recording.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::proxy {

struct RecorderOptions {
  http::BaseUrl device;
  bool tls = false;                     ///< clients use https to the recorder
  bool block_writes = false;            ///< return error 105 for writes (WriteGuard) and do not forward them
  std::string unblock_hint;             ///< how to let writes pass, in the response to a blocked one
  std::size_t max_message = 16u << 20;  ///< longer messages of WebSockets end the recording of the connection
  std::size_t shown_body = 0;           ///< the maximum length of bodies in RecordedLine::shown; 0: it is null
};

/// What a recorder connects. Only the device and the store have other implementations, in tests.
struct RecorderParts {
  http::Device& device;
  scrubbers::Scrubber& scrubber;
  cassettes::InteractionStore& store;
  RecordingScopes& scopes;
};

/// The result of one request, for the log. `key` is scrubbed.
struct RecordedLine {
  std::string key;
  std::string scope;  ///< the stored name; empty: none
  std::uint32_t run = 1;
  int status = 0;
  std::uint64_t body_bytes = 0;
  std::int64_t microseconds = 0;
  std::size_t redactions = 0;
  api::Completeness completeness = api::Completeness::complete;
  std::string reason;  ///< why it is not complete
  bool ended_by_client = false;
  bool is_login = false;  ///< a login, a logout, or the query of its key, outside of scopes
  bool committed = false;
  bool overdue = false;                        ///< the client got the response before the commit
  std::optional<api::MessageCounts> messages;  ///< of a WebSocket, whose line comes at its end
  /// Request and response as stored, with long bodies cut. Null unless requested.
  std::shared_ptr<scrubbers::InteractionRecord> shown;
};

struct RecorderStats {
  std::uint64_t requests = 0;
  std::uint64_t recorded = 0;  ///< committed and complete
  std::uint64_t scrubbed = 0;  ///< committed with at least one redaction
  std::uint64_t withheld = 0;
  std::uint64_t broken = 0;
  std::uint64_t stopped = 0;       ///< stored as broken because the run ended
  std::uint64_t not_recorded = 0;  ///< not committed (yet), although the client received the response
  std::uint64_t blocked = 0;
  std::uint64_t logins = 0;  ///< of all that were committed: logins and logouts outside of scopes
};

/// One line of the summary at the end of a run.
struct ApiCount {
  std::uint64_t recorded = 0, withheld = 0, broken = 0, bytes = 0;
};

/// Runs tasks that would block the loop on one thread, in order. Tasks must not throw. The destructor waits for all
/// tasks.
class ScrubThread {
 public:
  ScrubThread() : thread_([this] { loop_.run(); }) {}
  ~ScrubThread() {
    drain();
    loop_.stop();
    thread_.join();
  }
  ScrubThread(const ScrubThread&) = delete;
  ScrubThread& operator=(const ScrubThread&) = delete;

  void add(std::function<void()> task) { loop_.post(std::move(task)); }
  /// Waits until all tasks that were added before are done.
  void drain() {
    const auto done = std::make_shared<std::promise<void>>();
    loop_.post([done] { done->set_value(); });
    done->get_future().wait();
  }

 private:
  http::EventLoop loop_;
  std::thread thread_;
};

/// Runs on the device's loop. Large bodies are scrubbed on another thread, so that the loop continues. If the device
/// does not respond, the client gets 502 or 504 from the relay.
class Recorder : public http::Handler {
 public:
  struct Callbacks {
    /// Called from the store's thread with interactions that were committed or could not be committed.
    std::function<void(std::span<const RecordedLine>)> lines;
    /// Called from any thread with scrubbed text after an internal error. The response counts as not recorded, its
    /// client is served, and the run should end.
    std::function<void(const std::string& why)> fault;
    /// Called once for each other origin of the device's host that a response names. A redirect there is changed so
    /// that clients stay at the recorder, which may surprise users (to_client()). A URL in a body is not.
    std::function<void(const std::string& origin, bool is_redirect)> other_origin;
    /// Called for the first request that returned to this recorder (LoopGuard).
    std::function<void()> looped = {};
    /// Called if a write was blocked in this scope.
    std::function<void(const api::ScopeName& scope)> blocked_in = {};
  };
  /// Connects the scopes to scrubber and store. The scopes must outlive the recorder, and the others its use until
  /// drain().
  Recorder(RecorderOptions options, const RecorderParts& parts, Callbacks callbacks);
  /// Drains it, because the store's thread calls it for each interaction.
  ~Recorder() override;

  void handle(std::shared_ptr<http::Exchange> exchange) override;
  /// Does the same in this scope. Ignores the scope that the request names.
  void handle_in(const std::optional<api::ScopeName>& scope, std::shared_ptr<http::Exchange> exchange);

  /// Waits until every interaction is stored or has failed, and nothing calls the recorder any more. Nothing may be
  /// handled afterwards. Calling it again has no effect.
  void drain();
  [[nodiscard]] RecorderStats stats() const;
  /// Returns counts by API name, sorted. Requests that are not calls count as "(other)".
  [[nodiscard]] std::map<std::string, ApiCount> by_api() const;

 private:
  struct InFlight;
  void record(std::shared_ptr<http::Exchange> exchange, http::Request request, const api::RequestedScope& said);
  void keep_head(InFlight& in_flight);
  static void charge_what_is_seen(InFlight& in_flight);
  void enter_scope(InFlight& in_flight, const api::RequestedScope& said);
  void rewrite(http::Headers& answer, std::string_view own_origin);
  void tell_other(const std::string& origin, bool is_redirect);
  void schedule_scrub(const std::shared_ptr<InFlight>& in_flight);
  void scrub_and_append(const std::shared_ptr<InFlight>& in_flight) noexcept;
  void open_socket(const std::shared_ptr<InFlight>& opening, std::unique_ptr<http::ByteStream> device,
                   std::string first);
  void store_message(const std::shared_ptr<InFlight>& opening, const api::SocketMessage& message, std::uint32_t number,
                     std::function<void()> done);
  void append_message(const std::shared_ptr<InFlight>& opening, api::SocketMessage message, std::uint32_t number,
                      std::optional<api::MessageCounts> end, std::function<void()> done) noexcept;
  void show_message(RecordedLine& line, const scrubbers::InteractionRecord& message) const;
  void stored(InFlight& in_flight, bool committed);
  void lost(InFlight& in_flight, std::string_view why);
  void count(InFlight& in_flight, RecordedLine& line);
  void tell_lines();

  RecorderOptions options_;
  RecorderParts parts_;
  Callbacks callbacks_;
  const LoopGuard loop_guard_;
  std::vector<RecordedLine> lines_;  ///< lines of the current group; used only by the store's thread
  DeviceCookies cookies_;            ///< used only on the loop's thread, like the following members
  std::set<std::string> other_origins_;
  bool has_looped_ = false;
  std::uint32_t sockets_ = 0;  ///< number of WebSockets
  bool is_drained_ = false;
  mutable std::mutex mutex_;  ///< guards stats_ and by_api_, because commits report from the store's thread
  RecorderStats stats_;
  std::map<std::string, ApiCount> by_api_;
  ScrubThread scrub_thread_;
};

}  // namespace tapedeck::proxy
