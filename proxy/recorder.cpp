#include "proxy/recorder.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

#include "api/envelope.h"
#include "api/write_guard.h"

namespace tapedeck::proxy {
namespace {

/// Bodies up to this are scrubbed where they arrive: that takes less time than handing them over.
constexpr std::size_t inline_scrub_bytes = 64 * 1024;

std::int64_t microseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

api::Completeness completeness_of(http::Ending ending) {
  if (ending == http::Ending::whole) return api::Completeness::complete;
  return ending == http::Ending::too_long ? api::Completeness::withheld : api::Completeness::broken;
}

std::string reason_of(const http::Relayed& relayed) {
  if (relayed.ending == http::Ending::whole) return {};
  std::string reason(http::to_string(relayed.ending));
  return relayed.detail.empty() ? reason : reason + ": " + relayed.detail;
}

/// What the client knows the recorder by.
std::string own_origin(const http::Request& request, bool tls) {
  return (tls ? "https://" : "http://") + std::string(request.headers.first("Host").value_or("127.0.0.1"));
}

http::Response blocked_answer() {
  http::Response answer;
  answer.headers.add("Content-Type", api::json_content_type);
  answer.headers.add("X-Tapedeck-Blocked", "write");
  answer.body = api::error_envelope(api::ErrorCode::no_permission);
  return answer;
}

RecordedLine line_of(const scrubbers::InteractionRecord& record) {
  RecordedLine line;
  line.key = record.key.text;
  line.status = record.response.status;
  line.body_bytes = record.response.body.size();
  line.microseconds = record.ended_us - record.started_us;
  line.redactions = record.redactions.size();
  line.completeness = record.completeness;
  line.reason = record.reason;
  return line;
}

}  // namespace

/// One thread for bodies that would hold up the loop, first come first served.
struct Recorder::ScrubThread {
  ScrubThread() : thread([this] { run(); }) {}
  ~ScrubThread() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    changed.notify_all();
    thread.join();
  }
  void add(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex);
      tasks.push_back(std::move(task));
      ++unfinished;
    }
    changed.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return unfinished == 0; });
  }
  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ending || !tasks.empty(); });
      if (tasks.empty()) return;
      const std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
      --unfinished;
      changed.notify_all();
    }
  }

  std::mutex mutex;  ///< guards all below
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  std::size_t unfinished = 0;
  bool ending = false;
  std::thread thread;
};

/// An answer that waits for its commit.
struct Recorder::Pending {
  std::function<void()> committed;
  std::atomic<bool> overdue = false;  ///< set on the loop, read by the writer: it is counted once
};

/// One exchange on its way.
struct Recorder::Passing : http::RelayClient {
  Passing(Recorder& owner, http::Request request, std::unique_ptr<scrubbers::SeenRequest> learned, std::string origin)
      : recorder(owner), original(std::move(request)), seen(std::move(learned)), own(std::move(origin)) {}

  void rewrite(http::Response& head) override {
    recorder.cookies_.see(head.headers);
    to_client(head.headers, recorder.options_.device, own);
  }

  void ended(http::Relayed&& relayed, const http::Response& delivered_head, std::function<void()> committed) override {
    if (relayed.ending == http::Ending::stopped) {
      const std::lock_guard lock(recorder.mutex_);
      ++recorder.stats_.stopped;
    }
    api::Interaction interaction;
    interaction.request = std::move(original);
    interaction.response = delivered_head;
    interaction.response.body = std::move(relayed.received.body);
    to_cassette(interaction.response.headers, own);
    interaction.completeness = completeness_of(relayed.ending);
    interaction.reason = reason_of(relayed);
    interaction.started_us = microseconds(relayed.started);
    interaction.ended_us = microseconds(relayed.ended);
    pending->committed = std::move(committed);
    recorder.store({std::move(interaction), std::move(seen)}, pending);
  }

  void commit_overdue() override {
    pending->overdue = true;
    const std::lock_guard lock(recorder.mutex_);
    ++recorder.stats_.not_recorded;
  }

  Recorder& recorder;
  http::Request original;  ///< its target without the base path
  std::unique_ptr<scrubbers::SeenRequest> seen;
  std::string own;
  std::shared_ptr<Pending> pending = std::make_shared<Pending>();
};

Recorder::Recorder(RecorderOptions options, http::Relay& relay, scrubbers::Scrubber& scrubber,
                   cassettes::CassetteWriter& writer, std::function<void(Lines)> on_lines)
    : options_(std::move(options)),
      relay_(relay),
      scrubber_(scrubber),
      writer_(writer),
      on_lines_(std::move(on_lines)),
      scrub_thread_(std::make_unique<ScrubThread>()) {
  writer_.after_group([this] { tell_lines(); });
}

Recorder::~Recorder() = default;

void Recorder::handle(std::shared_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  http::Request original = request;
  original.target = without_base_path(request.target, options_.device.path);
  std::unique_ptr<scrubbers::SeenRequest> seen = scrubber_.learn(original);
  const api::Effect effect = seen->effect;
  const bool blocked = options_.block_writes && effect == api::Effect::write;
  {
    const std::lock_guard lock(mutex_);
    ++stats_.requests;
    if (blocked) ++stats_.blocked;
  }
  if (blocked) return exchange->respond(blocked_answer());
  const std::string own = own_origin(request, options_.tls);
  auto passing = std::make_shared<Passing>(*this, std::move(original), std::move(seen), own);
  http::Request outgoing = to_device(request, options_.device, own, cookies_);
  relay_.forward(std::move(exchange), std::move(outgoing), effect == api::Effect::read, std::move(passing));
}

void Recorder::store(Passed&& passed, std::shared_ptr<Pending> pending) {
  const http::Response& answer = passed.interaction.response;
  const std::size_t bytes = passed.interaction.request.body.size() + answer.body.size();
  // How long a packed body is nobody knows before it is unpacked.
  if (bytes <= inline_scrub_bytes && !answer.headers.contains("Content-Encoding")) {
    return append(std::move(passed), std::move(pending));
  }
  scrub_thread_->add([this, shared = std::make_shared<Passed>(std::move(passed)), waiting = std::move(pending)] {
    append(std::move(*shared), waiting);
  });
}

void Recorder::append(Passed&& passed, std::shared_ptr<Pending> pending) {
  const std::uint64_t knowledge = scrubber_.generation();
  scrubbers::ScrubbedInteraction scrubbed = scrubber_.scrub(passed.interaction, std::move(*passed.seen));
  RecordedLine line = line_of(scrubbed.record());
  const api::RequestKey& key = scrubbed.record().key;
  std::string api_name = key.is_call ? key.api.full() : "(other)";
  writer_.append(
      std::move(scrubbed),
      [this, report = std::move(line), name = std::move(api_name), waiting = std::move(pending)](bool stored) mutable {
        report.committed = stored;
        report.overdue = waiting->overdue;
        count(report, name);
        waiting->committed();
        lines_.push_back(std::move(report));
      },
      knowledge);
}

void Recorder::count(const RecordedLine& line, const std::string& api_name) {
  const std::lock_guard lock(mutex_);
  if (!line.committed) {
    if (!line.overdue) ++stats_.not_recorded;
    return;
  }
  ApiCount& api = by_api_[api_name];
  const bool broken = line.completeness == api::Completeness::broken;
  const bool withheld = line.completeness == api::Completeness::withheld;
  ++(broken ? stats_.broken : withheld ? stats_.withheld : stats_.recorded);
  ++(broken ? api.broken : withheld ? api.withheld : api.recorded);
  api.bytes += line.body_bytes;
  if (line.redactions > 0) ++stats_.scrubbed;
}

void Recorder::tell_lines() {
  if (on_lines_) on_lines_(lines_);
  lines_.clear();
}

void Recorder::drain() { scrub_thread_->drain(); }

RecorderStats Recorder::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

std::map<std::string, ApiCount> Recorder::by_api() const {
  const std::lock_guard lock(mutex_);
  return by_api_;
}

}  // namespace tapedeck::proxy
