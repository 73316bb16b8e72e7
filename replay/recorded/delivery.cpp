#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/io/buffer_charge.h"
#include "replay/recorded/reply.h"

namespace tapedeck::replay {
namespace {

/// How long fault = "hang" holds a connection.
constexpr std::chrono::minutes longest_hang(5);

/// A body that is kept for one client. It counts against --buffer while it exists.
struct ChargedBody {
  explicit ChargedBody(std::string body) : text(std::move(body)), charge(text.capacity()) {}
  const std::string text;
  const http::BufferCharge charge;
};

/// Plays a recorded WebSocket to a client that asks for one.
void play_socket(const std::shared_ptr<http::Exchange>& exchange, http::Response head, std::string_view body,
                 SocketPlan plan) {
  const http::Request& request = exchange->request();
  auto messages = api::parse_transcript(body);
  if (!messages || !http::asks_for_websocket(request)) {
    if (plan.ended) plan.ended({});
    return exchange->respond(http::text_response(400, "the request does not open a WebSocket\n"));
  }
  plan.messages = *std::move(messages);
  plan.heartbeats = api::heartbeats_of(request.target, plan.messages, plan.heartbeats.interval);
  std::make_shared<SocketPlayer>(exchange, std::move(plan))->begin(std::move(head));
}

/// A reply that is sent later, in pieces, in part, or not at all. The timer for its next piece keeps it alive.
class PlannedReply : public std::enable_shared_from_this<PlannedReply> {
 public:
  PlannedReply(std::shared_ptr<http::Exchange> exchange, Reply reply)
      : exchange_(std::move(exchange)),
        plan_(std::move(*reply.delivery)),
        is_socket_(reply.is_socket()),
        heartbeats_(reply.heartbeats),
        socket_ended_(std::move(reply.socket_ended)) {
    reply.to_head();
    head_ = std::move(reply.response);
    if (reply.shared_body) {
      body_ = *std::move(reply.shared_body);
    } else {
      const auto kept = std::make_shared<const ChargedBody>(std::exchange(head_.body, {}));
      body_ = {kept->text, kept};
    }
    const std::size_t size = body_.bytes.size();
    if (plan_.is_cut) plan_.pace = {{{}, std::min(size, plan_.cut.value_or(size / 2))}};
    if (!plan_.is_cut && !plan_.pace.empty()) plan_.pace.back().end = size;
  }

  void begin() {
    exchange_->expect(body_.bytes.size());
    const auto delay = plan_.delay.value_or(std::chrono::microseconds(0));
    if (delay.count() <= 0) return send();
    exchange_->after(delay, [self = shared_from_this()] { self->send(); });
  }

 private:
  void send() {
    if (plan_.connection_fault) return exchange_->fail(*plan_.connection_fault, longest_hang);
    if (is_socket_) {
      return play_socket(exchange_, std::move(head_), body_.bytes,
                         {{}, {0, heartbeats_}, plan_.in_recorded_time, plan_.cut_after, std::move(socket_ended_)});
    }
    if (plan_.pace.empty()) return exchange_->respond(std::move(head_), std::move(body_));
    const bool has_body = http::may_have_body(head_.status);
    if (has_body) head_.headers.set("Content-Length", std::to_string(body_.bytes.size()));
    exchange_->start(std::move(head_));
    go_on();
  }

  /// Sends all pieces that are due. This is a loop, because an exchange may call back immediately instead of waiting.
  void go_on() {
    if (std::exchange(is_going_on_, true)) return;
    while (next_ < plan_.pace.size() && is_due()) {
      const std::size_t end = std::min(plan_.pace[next_++].end, body_.bytes.size());
      if (end > sent_) exchange_->write(http::SharedBytes{body_.bytes.substr(sent_, end - sent_), body_.owner});
      sent_ = std::max(sent_, end);
      is_due_ = false;
    }
    is_going_on_ = false;
    if (next_ == plan_.pace.size()) exchange_->finish();
  }

  /// Returns true if the next piece is due, and otherwise schedules go_on() for that time.
  bool is_due() {
    const auto wait = plan_.pace[next_].wait;
    if (wait.count() <= 0) return true;
    if (!is_due_) {
      exchange_->after(wait, [self = shared_from_this()] {
        self->is_due_ = true;
        self->go_on();
      });
    }
    return is_due_;
  }

  std::shared_ptr<http::Exchange> exchange_;
  DeliveryPlan plan_;
  bool is_socket_;
  std::chrono::milliseconds heartbeats_;
  std::function<void(const api::MessageCounts&)> socket_ended_;
  http::Response head_;
  http::SharedBytes body_;
  std::size_t next_ = 0, sent_ = 0;
  bool is_due_ = false, is_going_on_ = false;
};

bool is_planned(const DeliveryPlan& plan) {
  return plan.delay || plan.connection_fault || plan.is_cut || plan.cut_after || !plan.pace.empty();
}

}  // namespace

void deliver(std::shared_ptr<http::Exchange> exchange, Reply reply) {
  if (reply.delivery && is_planned(*reply.delivery)) {
    return std::make_shared<PlannedReply>(std::move(exchange), std::move(reply))->begin();
  }
  if (reply.is_socket()) {
    std::string room;
    const std::string body(reply.body_in(room));
    reply.to_head();
    return play_socket(exchange, std::move(reply.response), body,
                       {{}, {0, reply.heartbeats}, false, {}, std::move(reply.socket_ended)});
  }
  if (reply.prepared) return exchange->respond(*reply.prepared);
  if (reply.shared_body) return exchange->respond(std::move(reply.response), *std::move(reply.shared_body));
  exchange->respond(std::move(reply.response));
}

void take_over(DeliveryPlan& whole, const DeliveryPlan& part, bool one_after_another) {
  using std::chrono::microseconds;
  if (part.delay) {
    const microseconds before = whole.delay.value_or(microseconds(0));
    microseconds took = *part.delay;
    for (const PacedPiece& piece : part.pace) took += piece.wait;
    whole.delay = one_after_another ? before + took : std::max(before, took);
  }
  if (!whole.cut_after) whole.cut_after = part.cut_after;
  if (!whole.connection_fault && part.connection_fault) {
    whole.connection_fault = part.connection_fault;
  }
  if (!whole.is_cut && part.is_cut) {
    whole.is_cut = true;
    whole.cut = part.cut;
  }
  whole.is_held = whole.is_held || part.is_held;
  if (!part.names.empty()) whole.names.append(whole.names.empty() ? "" : ", ").append(part.names);
}

}  // namespace tapedeck::replay
