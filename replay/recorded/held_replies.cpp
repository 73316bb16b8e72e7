#include "replay/recorded/held_replies.h"

#include <utility>

namespace tapedeck::replay {

/// Owned by the timer of its connection, which ends with the connection. It is used only on the connection's loop
/// thread.
class HeldReplies::Waiting : public std::enable_shared_from_this<Waiting> {
 public:
  Waiting(std::shared_ptr<http::Exchange> exchange, Reply reply)
      : exchange_(std::move(exchange)), reply_(std::move(reply)) {}

  /// Replaces the timer, which would otherwise outlive the reply.
  void end(HeldChange change) {
    exchange_->after(std::chrono::microseconds(0),
                     [self = shared_from_this(), change = std::move(change)] { self->send(change); });
  }

  void send(HeldChange change) {
    if (std::exchange(is_sent_, true)) return;
    if (change.fault) return exchange_->fail(*change.fault, longest);
    if (change.status || change.body) reply_.to_response();
    if (change.status) {
      reply_.response.status = *change.status;
      reply_.response.reason = http::reason_phrase(*change.status);
    }
    if (change.body) {
      reply_.set_body(*std::move(change.body));
      reply_.response.headers.set("Content-Type", api::json_content_type);
      reply_.set_outcome(Outcome::overlay);
    }
    deliver(exchange_, std::move(reply_));
  }

  /// Returns true if the client has disconnected. One that only closes its side counts as well, because clients of
  /// HTTP do not.
  [[nodiscard]] bool has_left() const { return !is_sent_ && (exchange_->gone() || exchange_->input_ended()); }
  void abort() {
    is_sent_ = true;
    exchange_->abort();
  }
  [[nodiscard]] http::Exchange& exchange() const { return *exchange_; }

 private:
  std::shared_ptr<http::Exchange> exchange_;
  Reply reply_;
  bool is_sent_ = false;
};

void HeldReplies::hold(std::shared_ptr<http::Exchange> exchange, Reply reply) {
  const std::uint64_t given = reply.plan().request;
  const std::string overlay = reply.plan().names;
  exchange->expect(reply.body_bytes());
  const auto waiting = std::make_shared<Waiting>(exchange, std::move(reply));
  std::uint64_t number = given;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(places_, [](const auto& place) { return place.second.waiting.expired(); });
    if (number == 0) number = ++unnumbered_;
    if (places_.size() < most)
      places_.emplace(number, Place{{number, overlay, std::chrono::steady_clock::now()}, waiting});
    else
      number = 0;
  }
  if (number == 0) return waiting->send({});
  exchange->on_drained([this, number, weak = std::weak_ptr<Waiting>(waiting)] {
    const auto gone = weak.lock();
    if (!gone || !gone->has_left()) return;
    static_cast<void>(take(number));
    gone->abort();
  });
  exchange->after(longest, [this, number, waiting] {
    static_cast<void>(take(number));
    waiting->send({});
  });
}

std::vector<HeldReply> HeldReplies::list() {
  std::vector<HeldReply> list;
  const std::lock_guard lock(mutex_);
  for (auto place = places_.begin(); place != places_.end();) {
    if (place->second.waiting.expired()) {
      place = places_.erase(place);
    } else {
      list.push_back((place++)->second.shown);
    }
  }
  return list;
}

std::shared_ptr<HeldReplies::Waiting> HeldReplies::take(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(number);
  if (place == places_.end()) return nullptr;
  auto waiting = place->second.waiting.lock();
  places_.erase(place);
  return waiting;
}

bool HeldReplies::release(std::uint64_t number, HeldChange change) {
  const auto waiting = take(number);
  if (!waiting) return false;
  // The copy in the task may be the last one before post() returns.
  waiting->exchange().post([waiting, change = std::move(change)]() mutable { waiting->end(std::move(change)); });
  return true;
}

}  // namespace tapedeck::replay
