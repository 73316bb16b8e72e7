#include "proxy/exchanged_device.h"

#include <algorithm>
#include <utility>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "http/server/forwarded_exchange.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::proxy {
namespace {

using scrubbers::Counterparts;
using scrubbers::SecretClass;

/// Only short responses report the end of a session. Longer ones cannot be held back.
constexpr std::size_t longest_refusal = 4096;

std::vector<Counterparts::Pair> pairs(std::string_view from_id, std::string_view to_id, std::string_view from_token,
                                      std::string_view to_token, std::string_view from_device,
                                      std::string_view to_device) {
  return {{SecretClass::session_id, from_id, to_id},
          {SecretClass::csrf_token, from_token, to_token},
          {SecretClass::device_id, from_device, to_device}};
}

http::Response no_session_answer(const NoSession& none) {
  constexpr int bad_gateway = 502;
  const std::string hint = none.is_refusal ? "run `tapedeck doctor URL --account NAME`, then start again"
                                           : "run `tapedeck doctor URL`, then try again";
  http::Response answer;
  answer.status = bad_gateway;
  answer.reason = http::reason_phrase(bad_gateway);
  answer.headers.add("Content-Type", api::json_content_type);
  answer.headers.add("X-Tapedeck-Blocked", "login");
  answer.body = api::error_envelope(api::ErrorCode::unknown, "{\"tapedeck\":{\"hint\":" + api::json_quoted(hint) +
                                                                 ",\"reason\":" + api::json_quoted(none.why) + "}}");
  return answer;
}

}  // namespace

/// The client's exchange. Replaces the device's values in everything that is sent to the client.
class ExchangedDevice::Answers : public http::ForwardedExchange {
 public:
  using ForwardedExchange::ForwardedExchange;

  /// Sends nothing of this response to the client.
  void swallow() { is_swallowed_ = true; }
  [[nodiscard]] bool has_started() const { return has_started_; }
  /// Sets the body that is sent to the client as a whole, without compression.
  void set_whole(std::shared_ptr<const std::string> body) { whole_ = std::move(body); }
  void set_values(std::shared_ptr<const Counterparts> values) { values_ = std::move(values); }

  void respond(http::Response response) override {
    if (!is_swallowed_) inner_->respond(std::move(response));
  }
  void respond(const http::PreparedReply& prepared) override {
    if (!is_swallowed_) inner_->respond(prepared);
  }
  void respond(http::Response head, http::SharedBytes body) override {
    if (is_swallowed_) return;
    if (!whole_) return inner_->respond(std::move(head), std::move(body));
    head.headers.erase("Content-Encoding");
    inner_->respond(std::move(head), http::SharedBytes{*whole_, whole_});
  }
  /// The length of the body after the exchange is unknown.
  void start(http::Response head) override {
    has_started_ = true;
    head.headers.erase("Content-Length");
    inner_->start(std::move(head));
  }
  void write(std::string bytes) override {
    waiting_ += bytes;
    pass_on(waiting_.size() - values_->waiting_bytes(waiting_));
  }
  void write(http::SharedBytes bytes) override { write(std::string(bytes.bytes)); }
  void finish() override {
    pass_on(waiting_.size());
    inner_->finish();
  }
  void abort() override {
    if (!is_swallowed_) inner_->abort();
  }

 private:
  void pass_on(std::size_t count) {
    if (count == 0) return;
    inner_->write(values_->written(std::string_view(waiting_).substr(0, count)).text);
    waiting_.erase(0, count);
  }

  std::shared_ptr<const Counterparts> values_;
  std::shared_ptr<const std::string> whole_;
  std::string waiting_;
  bool is_swallowed_ = false, has_started_ = false;
};

/// One request and its attempts, at most two.
class ExchangedDevice::InFlight : public http::RelayClient, public std::enable_shared_from_this<InFlight> {
 public:
  InFlight(ExchangedDevice& owner, std::shared_ptr<http::Exchange> exchange, http::Request request, bool is_read,
           std::shared_ptr<http::RelayClient> client, ClientSession session)
      : owner_(owner),
        exchange_(std::move(exchange)),
        request_(std::move(request)),
        is_read_(is_read),
        client_(std::move(client)),
        own_(std::move(session)) {}

  void begin() {
    owner_.session_.use([self = shared_from_this()](const DeviceSession::Opened& opened) { self->opened(opened); });
  }

  void rewrite(http::Response& head) override {
    to_client_->write_into(head.headers);
    head.reason = to_client_->written(head.reason).text;
    client_->rewrite(head);
  }

  std::shared_ptr<const std::string> ended(http::Relayed&& relayed, http::Receipt receipt) override {
    const std::optional<std::string> unpacked = this->unpacked(relayed);
    const std::string_view body = unpacked ? *unpacked : relayed.response.body;
    if (is_refusal(relayed, body)) {
      answers_->swallow();
      is_renewed_ = true;
      owner_.session_.renew(number_,
                            [self = shared_from_this()](const DeviceSession::Opened& opened) { self->opened(opened); });
      return std::make_shared<const std::string>();
    }
    auto written = to_client_->written(body);
    if (written.moved.empty()) return client_->ended(std::move(relayed), std::move(receipt));
    if (unpacked) {
      relayed.response.headers.erase("Content-Encoding");
      relayed.pieces.clear();  // positions in the compressed body
    }
    const auto original = std::make_shared<const std::string>(std::move(relayed.response.body));
    for (auto& piece : relayed.pieces) piece.end = written.place_of(piece.end);
    relayed.response.body = std::move(written.text);
    relayed.body_bytes = relayed.response.body.size();
    answers_->set_whole(client_->ended(std::move(relayed), std::move(receipt)));
    return original;  // the relay counts the device's bytes
  }

  void commit_overdue() override { client_->commit_overdue(); }

 private:
  void opened(const DeviceSession::Opened& opened) {
    if (const auto* const none = std::get_if<NoSession>(&opened)) return exchange_->respond(no_session_answer(*none));
    send(std::get<OpenSession>(opened));
  }

  void send(const OpenSession& session) {
    number_ = session.number;
    const auto& rules = owner_.rules_;
    const Counterparts to_device(
        rules, pairs(own_.id, session.id, own_.csrf_token, session.csrf_token, own_.device_id, session.device_id));
    to_client_ = std::make_shared<const Counterparts>(
        rules, pairs(session.id, own_.id, session.csrf_token, own_.csrf_token, session.device_id, own_.device_id));
    http::Request outgoing = request_;
    to_device.write_into(outgoing, owner_.base_path_);
    // The rest of an open body must have the length that the client has announced.
    if (exchange_->body_is_open() && outgoing.body.size() != request_.body.size()) outgoing.body = request_.body;
    outgoing.headers.set("Accept-Encoding", "identity");  // values in a compressed body could not be exchanged
    if (!session.csrf_token.empty()) outgoing.headers.set("X-SYNO-TOKEN", session.csrf_token);
    body_ = std::exchange(outgoing.body, {});
    answers_ = std::make_shared<Answers>(exchange_);
    answers_->set_values(to_client_);
    owner_.device_.forward(answers_, std::move(outgoing), body_, is_read_, shared_from_this());
  }

  /// Returns the decoded body of a compressed response, or nothing if it is not compressed or cannot be decoded.
  [[nodiscard]] std::optional<std::string> unpacked(const http::Relayed& relayed) const {
    const http::Response& answer = relayed.response;
    if (answer.body.empty() || !answer.headers.contains("Content-Encoding")) return std::nullopt;
    scrubbers::DecodedBody decoded = scrubbers::decode_body(answer.headers, answer.body, owner_.most_unpacked_);
    return decoded.ok ? std::optional(std::move(decoded.body)) : std::nullopt;
  }

  /// Returns true if the device reports the end of the session for the first time, and the client has received no part
  /// of the response.
  [[nodiscard]] bool is_refusal(const http::Relayed& relayed, std::string_view body) const {
    if (is_renewed_ || relayed.ending != http::Ending::whole || answers_->has_started()) return false;
    if (body.size() > longest_refusal || exchange_->body_is_open()) return false;
    const auto verdict = api::verdict(body);
    return verdict && !verdict->success && api::ends_session(verdict->error_code);
  }

  ExchangedDevice& owner_;
  std::shared_ptr<http::Exchange> exchange_;
  http::Request request_;  ///< as the client sent it, before it is sent to the device
  std::string body_;       ///< with exchanged values, for the relay
  bool is_read_;
  std::shared_ptr<http::RelayClient> client_;
  ClientSession own_;
  std::uint64_t number_ = 0;  ///< number of the device's session
  bool is_renewed_ = false;
  std::shared_ptr<const Counterparts> to_client_;
  std::shared_ptr<Answers> answers_;
};

ExchangedDevice::ExchangedDevice(Device& device, DeviceSession& session, std::string base_path,
                                 std::size_t most_unpacked)
    : device_(device),
      session_(session),
      base_path_(std::move(base_path)),
      most_unpacked_(most_unpacked),
      rules_(scrubbers::RuleSet::defaults()) {}

void ExchangedDevice::forward(const ClientSession& session, std::shared_ptr<http::Exchange> exchange,
                              http::Request head, std::string_view body, bool is_read,
                              std::shared_ptr<http::RelayClient> client) {
  if (!carries(session, head, body)) {
    return device_.forward(std::move(exchange), std::move(head), body, is_read, std::move(client));
  }
  head.body = body;
  std::make_shared<InFlight>(*this, std::move(exchange), std::move(head), is_read, std::move(client), session)->begin();
}

/// Returns true if the request contains the session ID. Replaces the ID with itself to find it.
bool ExchangedDevice::carries(const ClientSession& session, const http::Request& head, std::string_view body) const {
  if (session.id.empty()) return false;
  const Counterparts probe(rules_, {{SecretClass::session_id, session.id, session.id}});
  http::Request whole = head;
  whole.body = body;
  const auto classes = probe.write_into(whole, base_path_);
  return std::find(classes.begin(), classes.end(), SecretClass::session_id) != classes.end();
}

}  // namespace tapedeck::proxy
