#pragma once
// The recorder: passes every request on to the device and stores each answer, scrubbed, before the client has the end
// of it (design §4, semantics §6).

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cassettes/write/cassette_writer.h"
#include "http/device/relay.h"
#include "http/server/exchange.h"
#include "proxy/rewrite.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::proxy {

struct RecorderOptions {
  http::BaseUrl device;
  bool tls = false;           ///< clients speak https to the recorder
  bool block_writes = false;  ///< error 105 for what WriteGuard calls a write; never forwarded
};

/// What became of one request: for log lines. `key` is scrubbed.
struct RecordedLine {
  std::string key;
  int status = 0;
  std::uint64_t body_bytes = 0;
  std::int64_t microseconds = 0;
  std::size_t redactions = 0;
  api::Completeness completeness = api::Completeness::complete;
  std::string reason;  ///< why not complete
  bool committed = false;
  bool overdue = false;  ///< the client was answered before the commit was through
};

struct RecorderStats {
  std::uint64_t requests = 0;
  std::uint64_t recorded = 0;  ///< committed, and complete
  std::uint64_t scrubbed = 0;  ///< of those committed: with at least one redaction
  std::uint64_t withheld = 0;
  std::uint64_t broken = 0;
  std::uint64_t stopped = 0;       ///< the run ended before their answers were whole; stored as broken
  std::uint64_t not_recorded = 0;  ///< answered, but not committed or not committed in time
  std::uint64_t blocked = 0;
};

/// One line of the summary that ends a run.
struct ApiCount {
  std::uint64_t recorded = 0, withheld = 0, broken = 0, bytes = 0;
};

/// Runs on the relay's loop; large bodies are scrubbed on a thread of their own, so that the loop goes on. The relay,
/// the scrubber and the writer must outlive it. Where the device does not answer the client gets 502 or 504 from the
/// relay: a recorder is terminal, and nothing else answers in its place.
class Recorder : public http::Handler {
 public:
  using Lines = std::span<const RecordedLine>;
  /// `on_lines` is called with what was committed together, or could not be, from the writer's thread.
  Recorder(RecorderOptions options, http::Relay& relay, scrubbers::Scrubber& scrubber,
           cassettes::CassetteWriter& writer, std::function<void(Lines)> on_lines);
  ~Recorder() override;

  void handle(std::shared_ptr<http::Exchange> exchange) override;

  /// Waits until every interaction given to the scrubbing thread has reached the writer.
  void drain();
  [[nodiscard]] RecorderStats stats() const;
  /// Per API name (or "(other)" for what is no call), ordered by name.
  [[nodiscard]] std::map<std::string, ApiCount> by_api() const;

 private:
  struct Passing;
  struct ScrubThread;
  struct Pending;
  /// An exchange that is over.
  struct Passed {
    api::Interaction interaction;
    std::unique_ptr<scrubbers::SeenRequest> seen;
  };
  void store(Passed&& passed, std::shared_ptr<Pending> pending);
  void append(Passed&& passed, std::shared_ptr<Pending> pending);
  void count(const RecordedLine& line, const std::string& api_name);
  void tell_lines();

  RecorderOptions options_;
  http::Relay& relay_;
  scrubbers::Scrubber& scrubber_;
  cassettes::CassetteWriter& writer_;
  std::function<void(Lines)> on_lines_;
  std::vector<RecordedLine> lines_;  ///< of the group that is being told; for the writer's thread alone
  DeviceCookies cookies_;            ///< loop thread only
  mutable std::mutex mutex_;         ///< guards stats_ and by_api_: commits report from the writer's thread
  RecorderStats stats_;
  std::map<std::string, ApiCount> by_api_;
  std::unique_ptr<ScrubThread> scrub_thread_;
};

}  // namespace tapedeck::proxy
