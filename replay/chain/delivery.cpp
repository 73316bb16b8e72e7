#include "replay/chain/delivery.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/io/buffer_charge.h"

namespace tapedeck::replay {
namespace {

/// A body that is kept for one client. It counts against --buffer while it exists.
struct ChargedBody {
  explicit ChargedBody(std::string body) : text(std::move(body)), charge(text.capacity()) {}
  const std::string text;
  const http::BufferCharge charge;
};

/// A reply that is sent in pieces: its head, and its body without a copy.
class PartedReply {
 public:
  explicit PartedReply(Reply& reply) {
    reply.to_head();
    head_ = std::move(reply.response);
    if (reply.shared_body) {
      pieces_ = std::move(reply.shared_body->pieces);
      owner_ = std::move(reply.shared_body->owner);
    } else {
      const auto body = std::make_shared<const ChargedBody>(std::exchange(head_.body, {}));
      pieces_ = {body->text};
      owner_ = body;
    }
    for (const std::string_view piece : pieces_) size_ += piece.size();
    if (http::may_have_body(head_.status)) head_.headers.set("Content-Length", std::to_string(size_));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  void start(http::Exchange& exchange) { exchange.start(std::move(head_)); }
  /// Sends the bytes of the body from `begin` to `end`.
  void write(http::Exchange& exchange, std::size_t begin, std::size_t end) const {
    std::size_t before = 0;
    for (const std::string_view piece : pieces_) {
      const std::size_t from = std::clamp(begin, before, before + piece.size()) - before;
      const std::size_t to = std::clamp(end, before, before + piece.size()) - before;
      if (to > from) exchange.write(http::SharedBytes{piece.substr(from, to - from), owner_});
      before += piece.size();
    }
  }

 private:
  http::Response head_;
  std::vector<std::string_view> pieces_;
  std::shared_ptr<const void> owner_;
  std::size_t size_ = 0;
};

void send(http::Exchange& exchange, Reply& reply) {
  if (reply.prepared) return exchange.respond(*reply.prepared);
  if (!reply.shared_body) return exchange.respond(std::move(reply.response));
  const SharedBody& body = *reply.shared_body;
  if (body.pieces.size() <= 1) {
    const std::string_view bytes = body.pieces.empty() ? std::string_view() : body.pieces.front();
    return exchange.respond(std::move(reply.response), http::SharedBytes{bytes, body.owner});
  }
  PartedReply parts(reply);
  parts.start(exchange);
  parts.write(exchange, 0, parts.size());
  exchange.finish();
}

void send_cut(http::Exchange& exchange, Reply& reply) {
  PartedReply parts(reply);
  parts.start(exchange);
  parts.write(exchange, 0, reply.delivery->cut.value_or(parts.size() / 2));
  exchange.finish();
}

/// Sends a body at its recorded pace. The timer for the next piece keeps the object alive.
class PacedBody : public std::enable_shared_from_this<PacedBody> {
 public:
  PacedBody(std::shared_ptr<http::Exchange> exchange, Reply& reply)
      : exchange_(std::move(exchange)), parts_(reply), pace_(std::move(reply.delivery->pace)) {
    pace_.back().end = parts_.size();
  }

  void start() {
    parts_.start(*exchange_);
    go_on();
  }

 private:
  /// Sends all pieces that are due. This is a loop, because an exchange may call back immediately instead of waiting.
  void go_on() {
    if (std::exchange(is_going_on_, true)) return;
    while (next_ < pace_.size() && is_due()) {
      parts_.write(*exchange_, sent_, pace_[next_].end);
      sent_ = std::max(sent_, pace_[next_++].end);
      is_due_ = false;
    }
    is_going_on_ = false;
    if (next_ == pace_.size()) exchange_->finish();
  }

  /// Returns true if the next piece is due, and otherwise schedules go_on() for that time.
  bool is_due() {
    const auto wait = pace_[next_].wait;
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
  PartedReply parts_;
  std::vector<PacedPiece> pace_;
  std::size_t next_ = 0, sent_ = 0;
  bool is_due_ = false, is_going_on_ = false;
};

void send_planned(const std::shared_ptr<http::Exchange>& exchange, Reply& reply) {
  const DeliveryPlan& delivery = *reply.delivery;
  if (delivery.connection_fault) return exchange->fail(*delivery.connection_fault, delivery.longest_hang);
  if (delivery.is_cut) return send_cut(*exchange, reply);
  if (!delivery.pace.empty()) return std::make_shared<PacedBody>(exchange, reply)->start();
  send(*exchange, reply);
}

}  // namespace

void deliver(std::shared_ptr<http::Exchange> exchange, Reply reply) {
  if (!reply.delivery) return send(*exchange, reply);
  exchange->expect(reply.body_bytes());
  const auto delay = reply.delivery->delay.value_or(std::chrono::microseconds(0));
  if (delay.count() <= 0) return send_planned(exchange, reply);
  struct Waiting {
    Reply reply;
    http::BufferCharge charge;
  };
  const std::size_t own = reply.response.body.capacity();
  const auto waiting = std::make_shared<Waiting>(Waiting{std::move(reply), http::BufferCharge(own)});
  exchange->after(delay, [exchange, waiting] {
    waiting->charge.set(0);  // the sender charges it from here on
    send_planned(exchange, waiting->reply);
  });
}

void take_over(DeliveryPlan& whole, const DeliveryPlan& part, bool one_after_another) {
  using std::chrono::microseconds;
  if (part.delay) {
    const microseconds before = whole.delay.value_or(microseconds(0));
    microseconds took = *part.delay;
    for (const PacedPiece& piece : part.pace) took += piece.wait;
    whole.delay = one_after_another ? before + took : std::max(before, took);
  }
  if (!whole.connection_fault && part.connection_fault) {
    whole.connection_fault = part.connection_fault;
    whole.longest_hang = part.longest_hang;
  }
  if (!whole.is_cut && part.is_cut) {
    whole.is_cut = true;
    whole.cut = part.cut;
  }
  if (!part.names.empty()) whole.names.append(whole.names.empty() ? "" : ", ").append(part.names);
}

}  // namespace tapedeck::replay
