#include "proxy/recorder.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "api/scope_paths.h"
#include "api/write_guard.h"
#include "http/message/cookie.h"
#include "proxy/read_only_device.h"

namespace tapedeck::proxy {
namespace {

using SystemTime = std::chrono::system_clock::time_point;

/// Bodies up to this are scrubbed where they arrive: that takes less time than handing them over.
constexpr std::size_t inline_scrub_bytes = 64 * 1024;

constexpr std::string_view long_request = "the request body is longer than --body-limit";

std::int64_t microseconds(SystemTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

api::Completeness completeness_of(http::Ending ending) {
  if (ending == http::Ending::whole || ending == http::Ending::ended_by_client) return api::Completeness::complete;
  return ending == http::Ending::too_long ? api::Completeness::withheld : api::Completeness::broken;
}

std::string reason_of(const http::Relayed& relayed) {
  if (completeness_of(relayed.ending) == api::Completeness::complete) return {};
  std::string reason(http::to_string(relayed.ending));
  return relayed.detail.empty() ? reason : reason + ": " + relayed.detail;
}

/// What the client knows the recorder by: a client of HTTP/1.0 that does not say has the address that it has reached.
std::string own_origin(const http::Exchange& exchange, const http::Request& request, bool tls) {
  const std::string_view host = request.headers.first("Host").value_or("");
  return (tls ? "https://" : "http://") + (host.empty() ? exchange.local().to_string() : std::string(host));
}

RecordedLine line_of(const scrubbers::InteractionRecord& record) {
  RecordedLine line;
  line.key = record.key.text;
  line.scope = record.scope;
  line.run = record.run;
  line.status = record.response.status;
  line.body_bytes = record.response.body.size();
  line.microseconds = record.ended_us - record.started_us;
  line.redactions = record.redactions.size();
  line.completeness = record.completeness;
  line.reason = record.reason;
  line.ended_by_client = record.ended_by_client;
  return line;
}

/// A copy to be looked at, with no more than the beginning of its bodies.
std::shared_ptr<const scrubbers::InteractionRecord> shown_part(const scrubbers::InteractionRecord& record,
                                                               std::size_t longest) {
  auto shown = std::make_shared<scrubbers::InteractionRecord>();
  shown->request = {record.request.method, record.request.target, record.request.minor_version, record.request.headers,
                    record.request.body.substr(0, longest)};
  shown->response = {record.response.status, record.response.reason, record.response.headers,
                     record.response.body.substr(0, longest)};
  shown->redactions = record.redactions;
  shown->key = record.key;
  shown->session = record.session;
  shown->started_us = record.started_us;
  return shown;
}

/// The whole story but for the request, which is there already. The body moves: what stands here is the only copy.
void fill(api::Interaction& interaction, http::Relayed& relayed) {
  interaction.response = std::move(relayed.answer);
  interaction.completeness = completeness_of(relayed.ending);
  interaction.reason = reason_of(relayed);
  interaction.ended_by_client = relayed.ending == http::Ending::ended_by_client;
  interaction.started_us = microseconds(relayed.started);
  if (relayed.first_byte != SystemTime()) interaction.first_byte_us = microseconds(relayed.first_byte);
  interaction.ended_us = microseconds(relayed.ended);
  for (const http::Relayed::Piece& piece : relayed.pieces) {
    if (piece.end > interaction.response.body.size()) break;  // of a body that is not kept, nothing is
    interaction.events.push_back({microseconds(piece.at), piece.end});
  }
}

}  // namespace

/// One exchange on its way, with all that it needs; one owner at a time: the relay, then the scrubbing thread, then the
/// store. Its client's answer may keep the body alive for longer.
struct Recorder::Passing : http::RelayClient, std::enable_shared_from_this<Recorder::Passing> {
  Passing(Recorder& owner, http::Request request, std::string origin)
      : recorder(owner), own(std::move(origin)), request_charge(2 * request.body.size()) {
    interaction.request = std::move(request);
  }

  void rewrite(http::Response& head) override {
    recorder.rewrite(head.headers, own);
    if (segment.empty()) return;
    stored_headers = head.headers;
    api::keep_under(segment, interaction.request.headers.first("Host").value_or(""), head.headers);
  }

  std::shared_ptr<const std::string> ended(http::Relayed&& relayed, http::Receipt given) override {
    if (relayed.ending == http::Ending::stopped) {
      const std::lock_guard lock(recorder.mutex_);
      ++recorder.stats_.stopped;
    }
    fill(interaction, relayed);
    if (stored_headers) interaction.response.headers = std::move(*stored_headers);
    to_cassette(interaction.response.headers, own);
    if (is_long && interaction.completeness == api::Completeness::complete) {
      interaction.completeness = api::Completeness::withheld;
      interaction.reason = long_request;
    }
    answer_charge = std::move(relayed.charge);
    receipt = std::move(given);
    const auto self = shared_from_this();
    recorder.scrub(self);
    return {self, &interaction.response.body};
  }

  void commit_overdue() override {
    const std::lock_guard lock(recorder.mutex_);
    if (is_counted) return;
    is_overdue = true;
    ++recorder.stats_.not_recorded;
  }

  Recorder& recorder;
  std::string own;                              ///< origin
  std::string segment;                          ///< "/~scope/NAME" as it led the target
  std::optional<http::Headers> stored_headers;  ///< of the answer, without the segment in them
  std::optional<api::ScopeName> scope;
  bool is_login = false;
  api::Interaction interaction;  ///< its request's target without the base path
  bool is_long = false;          ///< the request's body is not kept
  std::string long_body;         ///< its beginning
  std::unique_ptr<scrubbers::SeenRequest> seen;
  http::Receipt receipt;
  http::BufferCharge request_charge, answer_charge;
  RecordedLine line;
  std::string api_name;
  bool is_overdue = false;  ///< set on the loop, read on the store's thread; guarded by the recorder's mutex_
  bool is_counted = false;  ///< likewise: what became of it is known
};

Recorder::Recorder(RecorderOptions options, Device& device, Scrubbing& scrubbing, Store& store, RecordingScopes& scopes,
                   Told told)
    : options_(std::move(options)),
      device_(device),
      scrubbing_(scrubbing),
      store_(store),
      scopes_(scopes),
      told_(std::move(told)) {
  scopes_.connect({[this](std::string_view name) { return scrubbing_.scrub_scope(name); },
                   [this](cassettes::TakeEvent event) { store_.tell(std::move(event)); }});
  store_.after_group([this] { tell_lines(); });
}

Recorder::~Recorder() = default;

void Recorder::handle(std::shared_ptr<http::Exchange> exchange) {
  http::Request request = exchange->take_request();
  const api::ScopeSaid said = api::scope_of(request);
  if (said.is_malformed) return exchange->respond(api::bad_scope_answer());
  record(std::move(exchange), std::move(request), said);
}

void Recorder::handle(std::shared_ptr<http::Exchange> exchange, const std::optional<api::ScopeName>& scope) {
  http::Request request = exchange->take_request();
  record(std::move(exchange), std::move(request), {scope, false});
}

void Recorder::record(std::shared_ptr<http::Exchange> exchange, http::Request request, const api::ScopeSaid& said) {
  std::string own = own_origin(*exchange, request, options_.tls);
  std::string segment = api::take_scope_out(request, own);
  http::Request outgoing = to_device(request, options_.device, own, cookies_);
  request.target = without_base_path(request.target, options_.device.path);
  request_to_cassette(request.headers, options_.device.path, own);
  const auto passing = std::make_shared<Passing>(*this, std::move(request), std::move(own));
  if (exchange->body_is_open()) keep_head(*passing);
  passing->segment = std::move(segment);
  passing->seen = scrubbing_.learn(passing->interaction.request);
  charge_what_is_seen(*passing);
  const api::Effect effect = passing->seen->effect;
  const bool blocked = options_.block_writes && (effect == api::Effect::write || passing->is_long);
  {
    const std::lock_guard lock(mutex_);
    ++stats_.requests;
    if (blocked) ++stats_.blocked;
  }
  if (blocked) {
    if (said.scope && told_.blocked_in) told_.blocked_in(*said.scope);
    return exchange->respond(write_refusal());
  }
  enter_scope(*passing, said);
  // A large body's parameters are a copy of it: they are read again for the key.
  if (passing->seen->request.body.size() > inline_scrub_bytes) passing->seen->call.reset();
  const std::string& body = passing->is_long ? passing->long_body : passing->interaction.request.body;
  device_.forward(std::move(exchange), std::move(outgoing), body, effect == api::Effect::read, passing);
}

/// What is made of a request lives as long as its answer takes. That of a small one is as long as it is, which is
/// counted; of a packed one, two copies of what was in it are to come.
void Recorder::charge_what_is_seen(Passing& passing) {
  const std::size_t sent = passing.interaction.request.body.size();
  const std::size_t text = passing.seen->request.body.size();
  if (std::max(sent, text) <= inline_scrub_bytes) return;
  const std::size_t copies = text > sent ? 2 * text : sent;
  passing.request_charge.set(sent + copies + passing.seen->finds.finds.size() * sizeof(scrubbers::NamedFind));
}

void Recorder::enter_scope(Passing& passing, const api::ScopeSaid& said) {
  const std::optional<api::Call>& call = passing.seen->call;
  std::string id(call ? call->session_id() : std::string_view());
  if (id.empty()) id = http::cookie(passing.interaction.request.headers, "id");
  passing.scope = scopes_.of(said, id);
  if (!passing.scope) return;
  passing.interaction.scope = passing.scope->name;
  passing.interaction.run = passing.scope->run;
  passing.is_login = call && passing.seen->effect == api::Effect::session;
}

/// A body that is not kept whole is not kept at all; what its beginning tells is learned.
void Recorder::keep_head(Passing& passing) {
  static_cast<void>(scrubbing_.learn(passing.interaction.request));
  passing.is_long = true;
  passing.long_body = std::move(passing.interaction.request.body);
  passing.interaction.request.body.clear();
}

void Recorder::rewrite(http::Headers& answer, std::string_view own_origin) {
  constexpr std::size_t most_told = 16;
  cookies_.see(answer);
  const std::optional<std::string> other = to_client(answer, options_.device, own_origin);
  if (!other || other_origins_.size() >= most_told || !other_origins_.insert(*other).second) return;
  if (told_.other_origin) told_.other_origin(*other);
}

void Recorder::scrub(const std::shared_ptr<Passing>& passing) {
  const http::Response& answer = passing->interaction.response;
  const std::size_t bytes = passing->interaction.request.body.size() + answer.body.size();
  // How long a packed body is nobody knows before it is unpacked.
  if (bytes <= inline_scrub_bytes && !answer.headers.contains("Content-Encoding")) return store(passing);
  scrub_thread_.add([this, passing] { store(passing); });
}

/// The foot of both threads that scrub: nothing is thrown further.
void Recorder::store(const std::shared_ptr<Passing>& passing) noexcept {
  try {
    if (passing->is_login) scopes_.answered(*passing->scope, passing->interaction);
    const std::uint64_t knowledge = scrubbing_.generation();
    scrubbers::ScrubbedInteraction scrubbed = scrubbing_.scrub(passing->interaction, std::move(*passing->seen));
    passing->line = line_of(scrubbed.record());
    if (options_.shown_body > 0) passing->line.shown = shown_part(scrubbed.record(), options_.shown_body);
    const api::RequestKey& key = scrubbed.record().key;
    passing->api_name = key.is_call ? key.api.full() : "(other)";
    store_.append(
        std::move(scrubbed), [this, passing](bool committed) { stored(*passing, committed); }, knowledge);
  } catch (const std::exception& error) {
    lost(*passing, error.what());
  }
}

/// On the store's thread.
void Recorder::stored(Passing& passing, bool committed) {
  RecordedLine& line = passing.line;
  line.committed = committed;
  count(passing, line);
  // Of its copies there is one now, for as long as the client has not taken it.
  passing.answer_charge.set(passing.interaction.response.body.size());
  passing.receipt.give();
  lines_.push_back(std::move(line));
}

void Recorder::lost(Passing& passing, std::string_view why) {
  RecordedLine line;
  count(passing, line);
  passing.receipt.give();
  if (told_.fault) told_.fault("a response could not be recorded: " + scrubbing_.scrub_text(why));
}

/// One that is overdue was counted as not recorded when its client was served; stored in the end, it is there.
void Recorder::count(Passing& passing, RecordedLine& line) {
  const std::lock_guard lock(mutex_);
  passing.is_counted = true;
  line.overdue = passing.is_overdue;
  if (!line.committed) {
    if (!line.overdue) ++stats_.not_recorded;
    return;
  }
  if (line.overdue) --stats_.not_recorded;
  ApiCount& api = by_api_[passing.api_name];
  const bool broken = line.completeness == api::Completeness::broken;
  const bool withheld = line.completeness == api::Completeness::withheld;
  ++(broken ? stats_.broken : withheld ? stats_.withheld : stats_.recorded);
  ++(broken ? api.broken : withheld ? api.withheld : api.recorded);
  api.bytes += line.body_bytes;
  if (line.redactions > 0) ++stats_.scrubbed;
}

void Recorder::tell_lines() {
  if (told_.lines) told_.lines(lines_);
  lines_.clear();
}

RecorderStats Recorder::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

std::map<std::string, ApiCount> Recorder::by_api() const {
  const std::lock_guard lock(mutex_);
  return by_api_;
}

}  // namespace tapedeck::proxy
