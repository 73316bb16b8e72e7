#pragma once
// The recorder: passes every request on to the device and stores each answer, scrubbed, before the client has the end
// of it (design §4, semantics §6).

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "http/server/exchange.h"
#include "proxy/recording_scopes.h"
#include "proxy/rewrite.h"
#include "proxy/scrub_thread.h"
#include "proxy/seams.h"

namespace tapedeck::proxy {

struct RecorderOptions {
  http::BaseUrl device;
  bool tls = false;            ///< clients speak https to the recorder
  bool block_writes = false;   ///< error 105 for what WriteGuard calls a write; never forwarded
  std::size_t shown_body = 0;  ///< RecordedLine::shown has that much of a body at most; 0: there is none
};

/// What became of one request: for log lines. `key` is scrubbed.
struct RecordedLine {
  std::string key;
  std::string scope;  ///< as it is stored; empty: none
  std::uint32_t run = 1;
  int status = 0;
  std::uint64_t body_bytes = 0;
  std::int64_t microseconds = 0;
  std::size_t redactions = 0;
  api::Completeness completeness = api::Completeness::complete;
  std::string reason;  ///< why not complete
  bool ended_by_client = false;
  bool committed = false;
  bool overdue = false;  ///< the client was answered before the commit was through
  /// Request and answer as the cassette has them, but for the ends of long bodies; null unless it was asked for.
  std::shared_ptr<const scrubbers::InteractionRecord> shown;
};

struct RecorderStats {
  std::uint64_t requests = 0;
  std::uint64_t recorded = 0;  ///< committed, and complete
  std::uint64_t scrubbed = 0;  ///< of those committed: with at least one redaction
  std::uint64_t withheld = 0;
  std::uint64_t broken = 0;
  std::uint64_t stopped = 0;       ///< the run ended before their answers were whole; stored as broken
  std::uint64_t not_recorded = 0;  ///< answered, but not committed (yet)
  std::uint64_t blocked = 0;
};

/// One line of the summary that ends a run.
struct ApiCount {
  std::uint64_t recorded = 0, withheld = 0, broken = 0, bytes = 0;
};

/// Runs on the device's loop; large bodies are scrubbed on a thread of their own, so that the loop goes on. Where the
/// device does not answer the client gets 502 or 504 from the relay: a recorder is terminal, and nothing else answers
/// in its place.
class Recorder : public http::Handler {
 public:
  struct Told {
    /// What was committed together, or could not be, from the store's thread.
    std::function<void(std::span<const RecordedLine>)> lines;
    /// Something that never fails has failed, in scrubbed words, from any thread: that answer counts as not recorded,
    /// its client is served, and the run should end.
    std::function<void(const std::string& why)> fault;
    /// Once for each: an origin of the device's host, but not the device's own, that an answer sends clients to. They
    /// are kept here, where it is not what they expect (to_client()).
    std::function<void(const std::string& origin)> other_origin;
    /// A call that changes the device was answered with error 105 in that scope.
    std::function<void(const api::ScopeName& scope)> blocked_in = {};
  };
  /// The port and the scopes must outlive it; it connects the scopes to the port.
  Recorder(RecorderOptions options, RecorderPort& port, RecordingScopes& scopes, Told told);
  ~Recorder() override;

  void handle(std::shared_ptr<http::Exchange> exchange) override { handle(std::move(exchange), port_); }
  /// The same with another device, which is used before this returns.
  void handle(std::shared_ptr<http::Exchange> exchange, Device& device);
  /// The same where somebody else knows the scope, whatever the request says of it.
  void handle(std::shared_ptr<http::Exchange> exchange, Device& device, const std::optional<api::ScopeName>& scope);

  /// Waits until every interaction given to the scrubbing thread has reached the store.
  void drain() { scrub_thread_.drain(); }
  [[nodiscard]] RecorderStats stats() const;
  /// Per API name (or "(other)" for what is no call), ordered by name.
  [[nodiscard]] std::map<std::string, ApiCount> by_api() const;

 private:
  struct InFlight;
  void record(std::shared_ptr<http::Exchange> exchange, http::Request request, const api::ScopeSaid& said,
              Device& device);
  void keep_head(InFlight& in_flight);
  static void charge_what_is_seen(InFlight& in_flight);
  void enter_scope(InFlight& in_flight, const api::ScopeSaid& said);
  void rewrite(http::Headers& answer, std::string_view own_origin);
  void scrub(const std::shared_ptr<InFlight>& in_flight);
  void store(const std::shared_ptr<InFlight>& in_flight) noexcept;
  void stored(InFlight& in_flight, bool committed);
  void lost(InFlight& in_flight, std::string_view why);
  void count(InFlight& in_flight, RecordedLine& line);
  void tell_lines();

  RecorderOptions options_;
  RecorderPort& port_;
  RecordingScopes& scopes_;
  Told told_;
  std::vector<RecordedLine> lines_;  ///< of the group that is being told; for the store's thread alone
  DeviceCookies cookies_;            ///< loop thread only, as what follows
  std::set<std::string> other_origins_;
  mutable std::mutex mutex_;  ///< guards stats_ and by_api_: commits report from the store's thread
  RecorderStats stats_;
  std::map<std::string, ApiCount> by_api_;
  ScrubThread scrub_thread_;
};

}  // namespace tapedeck::proxy
