#include "proxy/recorder.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "api/call.h"
#include "api/envelope.h"
#include "api/json_spans.h"
#include "api/scope_paths.h"
#include "api/session_request.h"
#include "api/write_guard.h"
#include "base/clock.h"
#include "http/device/device_stream.h"
#include "http/io/buffer_charge.h"
#include "http/message/websocket.h"
#include "http/server/exchange_stream.h"
#include "proxy/addressed_exchange.h"

namespace tapedeck::proxy {
namespace {

using SystemTime = std::chrono::system_clock::time_point;

/// Smaller bodies are scrubbed where they arrive, because that is faster than handing them over.
constexpr std::size_t inline_scrub_bytes = 64 * 1024;

constexpr std::string_view long_request = "the request body is longer than --max-request-body";

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

/// Returns the recorder's origin from the client's point of view. For an HTTP/1.0 client without Host, that is the
/// address to which it connected.
std::string own_origin(const http::Exchange& exchange, const http::Request& request, bool tls) {
  const std::string_view host = request.headers.first("Host").value_or("");
  return (tls ? "https://" : "http://") + (host.empty() ? exchange.local().to_string() : std::string(host));
}

/// Returns error 105 with X-Tapedeck-Blocked: write.
http::Response write_refusal(const std::string& hint) {
  http::Response answer;
  answer.headers.add("Content-Type", api::json_content_type);
  answer.headers.add("X-Tapedeck-Blocked", "write");
  answer.body = api::error_envelope(api::ErrorCode::no_permission,
                                    R"({"tapedeck":{"hint":)" + api::json_quoted(hint) +
                                        R"(,"reason":"a call that changes the device was not sent"}})");
  return answer;
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
  const bool is_session_call = record.effect == api::Effect::session || record.key.api.rest == "API.Encryption";
  line.is_login = record.scope.empty() && record.key.is_call && is_session_call;
  return line;
}

void withhold(api::SocketMessage& message, std::string why) {
  message.withheld = std::move(why);
  message.text.clear();
}

/// Returns a copy for display with the beginnings of the bodies.
std::shared_ptr<scrubbers::InteractionRecord> shown_part(const scrubbers::InteractionRecord& record,
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

/// Fills in everything except the request. Moves the body, which is the only copy.
void fill(api::Interaction& interaction, http::Relayed& relayed) {
  interaction.response = std::move(relayed.response);
  interaction.completeness = completeness_of(relayed.ending);
  interaction.reason = reason_of(relayed);
  interaction.ended_by_client = relayed.ending == http::Ending::ended_by_client;
  interaction.started_us = microseconds(relayed.started);
  if (relayed.first_byte != SystemTime()) interaction.first_byte_us = microseconds(relayed.first_byte);
  interaction.ended_us = microseconds(relayed.ended);
  for (const http::Relayed::Piece& piece : relayed.pieces) {
    if (piece.end > interaction.response.body.size()) break;  // the rest of the body is not kept
    interaction.events.push_back({microseconds(piece.at), piece.end});
  }
}

}  // namespace

/// One exchange with all its data. It has one owner at a time: the relay, then the scrubbing thread, then the store.
/// The client's response may keep the body alive longer.
struct Recorder::InFlight : http::RelayClient, std::enable_shared_from_this<Recorder::InFlight> {
  InFlight(Recorder& owner, http::Request request, std::string origin) : recorder(owner), own(std::move(origin)) {
    interaction.request = std::move(request);
    charge_request(2 * interaction.request.body.size());
  }

  void rewrite(http::Response& head) override {
    has_looped = LoopGuard::is_refusal(head.headers);
    recorder.rewrite(head.headers, own);
    if (has_looped) LoopGuard::set_refusal(head.headers);
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
    charge.set(request_bytes + 2 * interaction.response.body.size());  // until it is stored, there is a scrubbed copy
    receipt = std::move(given);
    const auto self = shared_from_this();
    if (has_looped) {
      receipt.give();
    } else {
      recorder.schedule_scrub(self);
    }
    return {self, &interaction.response.body};
  }

  void taken_over(http::Response&& head, std::shared_ptr<http::DeviceConnection> connection,
                  std::string first) override {
    interaction.response = std::move(head);
    interaction.response.body.clear();
    interaction.ended_us = interaction.started_us = interaction.first_byte_us = base::now_us();
    socket = ++recorder.sockets_;
    recorder.open_socket(shared_from_this(), http::make_stream(std::move(connection)), std::move(first));
  }

  void commit_overdue() override {
    const std::lock_guard lock(recorder.mutex_);
    if (is_counted) return;
    is_overdue = true;
    ++recorder.stats_.not_recorded;
  }

  void charge_request(std::size_t bytes) { charge.set(request_bytes = bytes); }

  Recorder& recorder;
  std::string own;                              ///< the recorder's origin
  std::string segment;                          ///< "/~scope/NAME" from the front of the target
  std::optional<http::Headers> stored_headers;  ///< response headers without the segment
  std::optional<api::ScopeName> scope;
  bool is_login = false;
  bool has_looped = false;       ///< the response is LoopGuard::refusal(), which is not stored
  api::Interaction interaction;  ///< has the request's target without the base path
  bool is_long = false;          ///< the request's body is not kept
  std::string long_body;         ///< the beginning of that body
  std::unique_ptr<scrubbers::AnalyzedRequest> seen;
  http::Receipt receipt;
  std::size_t request_bytes = 0;  ///< memory for the request and what is known about it
  http::BufferCharge charge;
  std::shared_ptr<http::Exchange> exchange;      ///< of a request for a WebSocket, until it is accepted
  std::shared_ptr<http::Exchange> message_loop;  ///< the same, for the loop of its messages
  api::MessageCounts counts;                     ///< its messages so far
  std::uint32_t socket = 0;                      ///< number of a WebSocket; 0: none
  RecordedLine line;
  std::string api_name;
  bool is_overdue = false;  ///< set on the loop, read on the store's thread; guarded by the recorder's mutex_
  bool is_counted = false;  ///< likewise: the result is known
};

Recorder::Recorder(RecorderOptions options, const RecorderParts& parts, Callbacks callbacks)
    : options_(std::move(options)), parts_(parts), callbacks_(std::move(callbacks)) {
  parts_.scopes.connect({[this](std::string_view name) { return parts_.scrubber.scrub_scope(name); },
                         [this](cassettes::TakeEvent event) { parts_.store.tell(std::move(event)); }});
  parts_.store.after_group([this] { tell_lines(); });
}

Recorder::~Recorder() { drain(); }

void Recorder::drain() {
  if (std::exchange(is_drained_, true)) return;
  scrub_thread_.drain();
  parts_.store.flush();
}

void Recorder::handle(std::shared_ptr<http::Exchange> exchange) {
  http::Request request = exchange->take_request();
  const api::RequestedScope said = api::scope_of(request);
  if (said.is_malformed) return exchange->respond(api::bad_scope_answer());
  record(std::move(exchange), std::move(request), said);
}

void Recorder::handle_in(const std::optional<api::ScopeName>& scope, std::shared_ptr<http::Exchange> exchange) {
  http::Request request = exchange->take_request();
  record(std::move(exchange), std::move(request), {scope, false});
}

void Recorder::record(std::shared_ptr<http::Exchange> exchange, http::Request request,
                      const api::RequestedScope& said) {
  if (loop_guard_.has_returned(request.headers)) {
    if (!std::exchange(has_looped_, true) && callbacks_.looped) callbacks_.looped();
    return exchange->respond(LoopGuard::refusal());
  }
  std::string own = own_origin(*exchange, request, options_.tls);
  std::string segment = api::take_scope_out(request, own);
  const std::string here = own + segment;
  const bool is_whole = !exchange->body_is_open();
  address_device(request, here, options_.device.origin(), is_whole);
  if (!segment.empty()) address_device(request, own, options_.device.origin(), is_whole);
  http::Request outgoing = to_device(request, options_.device, own, cookies_);
  loop_guard_.mark(request.headers, outgoing.headers);
  request.target = without_base_path(request.target, options_.device.path);
  request_to_cassette(request.headers, options_.device.path, own);
  const auto in_flight = std::make_shared<InFlight>(*this, std::move(request), std::move(own));
  if (http::asks_for_websocket(in_flight->interaction.request)) {
    in_flight->exchange = in_flight->message_loop = exchange;
  } else if (exchange->body_is_open()) {
    keep_head(*in_flight);
  }
  in_flight->segment = std::move(segment);
  in_flight->seen = parts_.scrubber.learn(in_flight->interaction.request);
  charge_what_is_seen(*in_flight);
  const api::Effect effect = in_flight->seen->effect;
  const bool blocked = options_.block_writes && (effect == api::Effect::write || in_flight->is_long);
  {
    const std::lock_guard lock(mutex_);
    ++stats_.requests;
    if (blocked) ++stats_.blocked;
  }
  if (blocked) {
    if (said.scope && callbacks_.blocked_in) callbacks_.blocked_in(*said.scope);
    return exchange->respond(write_refusal(options_.unblock_hint));
  }
  enter_scope(*in_flight, said);
  // The parameters of a large body take as much memory as the body, so they are parsed again for the key.
  if (in_flight->seen->request.body.size() > inline_scrub_bytes) in_flight->seen->call.reset();
  const std::string& body = in_flight->is_long ? in_flight->long_body : in_flight->interaction.request.body;
  exchange = std::make_shared<AddressedExchange>(std::move(exchange), options_.device.origin(), here,
                                                 [this](const std::string& origin) { tell_other(origin, false); });
  parts_.device.forward(std::move(exchange), std::move(outgoing), body, effect == api::Effect::read, in_flight);
}

/// Charges the memory of a parsed request, which lives as long as its response. A plain body has the length that is
/// already charged; a compressed one has two decoded copies.
void Recorder::charge_what_is_seen(InFlight& in_flight) {
  const std::size_t sent = in_flight.interaction.request.body.size();
  const std::size_t text = in_flight.seen->request.body.size();
  if (std::max(sent, text) <= inline_scrub_bytes) return;
  const std::size_t copies = text > sent ? 2 * text : sent;
  in_flight.charge_request(sent + copies + in_flight.seen->finds.finds.size() * sizeof(scrubbers::NamedFind));
}

void Recorder::enter_scope(InFlight& in_flight, const api::RequestedScope& said) {
  const std::optional<api::Call>& call = in_flight.seen->call;
  const std::string id = api::carried_id(in_flight.interaction.request, call ? &*call : nullptr);
  in_flight.scope = parts_.scopes.of(said, id);
  if (!in_flight.scope) return;
  in_flight.interaction.scope = in_flight.scope->name;
  in_flight.interaction.run = in_flight.scope->run;
  in_flight.is_login = call && in_flight.seen->effect == api::Effect::session;
}

/// Keeps only the head of a request whose body is too long. Secrets in the beginning of the body are learned.
void Recorder::keep_head(InFlight& in_flight) {
  static_cast<void>(parts_.scrubber.learn(in_flight.interaction.request));
  in_flight.is_long = true;
  in_flight.long_body = std::move(in_flight.interaction.request.body);
  in_flight.interaction.request.body.clear();
}

void Recorder::rewrite(http::Headers& answer, std::string_view own_origin) {
  cookies_.see(answer);
  const std::optional<std::string> other = to_client(answer, options_.device, own_origin);
  if (other) tell_other(*other, true);
}

/// Reports each other origin of the device once.
void Recorder::tell_other(const std::string& origin, bool is_redirect) {
  constexpr std::size_t most_told = 16;
  if (other_origins_.size() >= most_told || !other_origins_.insert(origin).second) return;
  if (callbacks_.other_origin) callbacks_.other_origin(origin, is_redirect);
}

void Recorder::schedule_scrub(const std::shared_ptr<InFlight>& in_flight) {
  const http::Response& answer = in_flight->interaction.response;
  const std::size_t bytes = in_flight->interaction.request.body.size() + answer.body.size();
  // The decoded length of a compressed body is unknown.
  if (bytes <= inline_scrub_bytes && !answer.headers.contains("Content-Encoding")) return scrub_and_append(in_flight);
  scrub_thread_.add([this, in_flight] { scrub_and_append(in_flight); });
}

/// The last step, on the loop's thread or the scrubbing thread. Does not throw.
void Recorder::scrub_and_append(const std::shared_ptr<InFlight>& in_flight) noexcept {
  try {
    if (in_flight->is_login) parts_.scopes.answered(*in_flight->scope, in_flight->interaction);
    const std::uint64_t knowledge = parts_.scrubber.generation();
    scrubbers::ScrubbedInteraction scrubbed =
        parts_.scrubber.scrub(in_flight->interaction, std::move(*in_flight->seen));
    in_flight->line = line_of(scrubbed.record());
    if (options_.shown_body > 0) in_flight->line.shown = shown_part(scrubbed.record(), options_.shown_body);
    const api::RequestKey& key = scrubbed.record().key;
    in_flight->api_name = key.is_call ? key.api.full() : "(other)";
    parts_.store.append(std::move(scrubbed), [this, in_flight](bool committed) { stored(*in_flight, committed); },
                        knowledge, {in_flight->socket, 0});
  } catch (const std::exception& error) {
    lost(*in_flight, error.what());
  }
}

/// Stores the opening. Its commit starts the response, and then messages pass.
void Recorder::open_socket(const std::shared_ptr<InFlight>& opening, std::unique_ptr<http::ByteStream> device,
                           std::string first) {
  http::Response head = opening->interaction.response;
  if (opening->stored_headers) opening->interaction.response.headers = *std::move(opening->stored_headers);
  to_cassette(opening->interaction.response.headers, opening->own);
  const auto exchange = std::exchange(opening->exchange, nullptr);
  const auto stream = std::make_shared<std::unique_ptr<http::ByteStream>>(std::move(device));
  // The receipt is given on the store's thread.
  opening->receipt = http::Receipt([this, opening, exchange, stream, head = std::move(head), first = std::move(first)] {
    exchange->post([this, opening, exchange, stream, head, first] {
      if (exchange->gone()) return;
      exchange->start(head);
      const SocketOptions options{options_.max_message,
                                  api::engine_io_version(opening->interaction.request.target) != 0};
      const auto store = [this, opening](const api::SocketMessage& message, std::uint32_t number,
                                         std::function<void()> done) {
        store_message(opening, message, number, std::move(done));
      };
      std::make_shared<SocketRecording>(options, std::make_unique<http::ExchangeStream>(exchange), std::move(*stream),
                                        store)
          ->begin(first);
    });
  });
  schedule_scrub(opening);
}

void Recorder::store_message(const std::shared_ptr<InFlight>& opening, const api::SocketMessage& message,
                             std::uint32_t number, std::function<void()> done) {
  if (message.is_content()) ++(message.from_device ? opening->counts.sent : opening->counts.received);
  const auto end = message.is_content() ? std::nullopt : std::optional(opening->counts);
  const auto append = [this, opening, message, number, end, done = std::move(done)] {
    append_message(opening, message, number, end, done);
  };
  message.text.size() <= inline_scrub_bytes ? append() : scrub_thread_.add(append);
}

/// A message is scrubbed like the response to the request that opened the connection. One that must not be stored, or
/// whose bytes contain a secret, is stored without them.
void Recorder::append_message(const std::shared_ptr<InFlight>& opening, api::SocketMessage message,
                              std::uint32_t number, std::optional<api::MessageCounts> end,
                              std::function<void()> done) noexcept {
  try {
    const auto scrubbed = [&](std::string body, std::string_view type) {
      api::Interaction one;
      one.request = opening->interaction.request;
      one.response = opening->interaction.response;
      one.response.headers = {};
      one.response.headers.add("Content-Type", type);
      one.response.body = std::move(body);
      one.scope = opening->interaction.scope;
      one.run = opening->interaction.run;
      one.started_us = opening->interaction.started_us;
      one.ended_us = base::now_us();
      auto seen = parts_.scrubber.learn(one.request);
      return parts_.scrubber.scrub(one, std::move(*seen));
    };
    if (message.type == api::SocketMessage::Type::binary) {
      // A placeholder in bytes of an unknown form would break them, and in base64 not every form of a value is found.
      const scrubbers::ScrubbedInteraction plain = scrubbed(message.text, "application/octet-stream");
      const bool has_secret = std::any_of(plain.record().redactions.begin(), plain.record().redactions.end(),
                                          [](const auto& row) { return row.part == scrubbers::Part::response_body; });
      if (has_secret || plain.record().completeness != api::Completeness::complete)
        withhold(message, "a binary message with a secret");
    }
    scrubbers::ScrubbedInteraction result = scrubbed(api::to_json(message), api::json_content_type);
    if (result.record().completeness != api::Completeness::complete) {
      withhold(message, result.record().reason);
      result = scrubbed(api::to_json(message), api::json_content_type);
    }
    const std::size_t bytes = result.record().response.body.size();
    const auto shown = shown_part(result.record(), options_.shown_body);
    const auto told = [this, opening, shown, bytes, end, done = std::move(done)](bool committed) {
      if (!committed) {
        const std::lock_guard lock(mutex_);
        ++stats_.not_recorded;
      }
      opening->line.body_bytes += bytes;
      show_message(opening->line, *shown);
      if (end) {
        opening->line.messages = end;
        opening->line.microseconds = base::now_us() - opening->interaction.started_us;
        lines_.push_back(std::move(opening->line));
      }
      if (done) opening->message_loop->post(done);
    };
    parts_.store.append(std::move(result), told, 0, {opening->socket, number});
  } catch (const std::exception& error) {
    if (callbacks_.fault)
      callbacks_.fault("a message could not be recorded: " + parts_.scrubber.scrub_text(error.what()));
    if (done) opening->message_loop->post(done);
  }
}

/// Adds a message to what is shown of its connection. Runs on the store's thread, like the next function.
void Recorder::show_message(RecordedLine& line, const scrubbers::InteractionRecord& message) const {
  if (!line.shown || line.shown->response.body.size() >= options_.shown_body) return;
  std::string& body = line.shown->response.body;
  if (body.empty()) body = " ";
  body.back() = body.size() == 1 ? '[' : ',';
  append_body(*line.shown, message);
  body += ']';
}

void Recorder::stored(InFlight& in_flight, bool committed) {
  RecordedLine& line = in_flight.line;
  line.committed = committed;
  count(in_flight, line);
  // From here on, only one copy exists, until the client has received it.
  in_flight.charge.set(in_flight.request_bytes + in_flight.interaction.response.body.size());
  const bool is_over = in_flight.socket == 0 || !committed;  // otherwise, messages follow
  in_flight.receipt.give();
  if (is_over) lines_.push_back(std::move(line));
}

void Recorder::lost(InFlight& in_flight, std::string_view why) {
  RecordedLine line;
  count(in_flight, line);
  in_flight.receipt.give();
  if (callbacks_.fault) callbacks_.fault("a response could not be recorded: " + parts_.scrubber.scrub_text(why));
}

/// An overdue response is counted as not recorded when its client is served. If it is stored later, the count is
/// corrected.
void Recorder::count(InFlight& in_flight, RecordedLine& line) {
  const std::lock_guard lock(mutex_);
  in_flight.is_counted = true;
  line.overdue = in_flight.is_overdue;
  if (!line.committed) {
    if (!line.overdue) ++stats_.not_recorded;
    return;
  }
  if (line.overdue) --stats_.not_recorded;
  ApiCount& api = by_api_[in_flight.api_name];
  const bool broken = line.completeness == api::Completeness::broken;
  const bool withheld = line.completeness == api::Completeness::withheld;
  ++(broken ? stats_.broken : withheld ? stats_.withheld : stats_.recorded);
  ++(broken ? api.broken : withheld ? api.withheld : api.recorded);
  api.bytes += line.body_bytes;
  if (line.is_login) ++stats_.logins;
  if (line.redactions > 0) ++stats_.scrubbed;
}

void Recorder::tell_lines() {
  if (callbacks_.lines) callbacks_.lines(lines_);
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
