#include "replay/recorded/socket_player.h"

#include <algorithm>
#include <utility>

#include "http/server/exchange_stream.h"

namespace tapedeck::replay {
namespace {

using api::SocketMessage;
using Type = SocketMessage::Type;

http::Frame frame_of(const SocketMessage& message) {
  return {message.type == Type::binary ? http::Frame::Kind::binary : http::Frame::Kind::text, message.text, true};
}

bool is_of_client(const SocketMessage& message) { return !message.from_device && message.is_content(); }

}  // namespace

SocketPlayer::SocketPlayer(std::shared_ptr<http::Exchange> exchange, SocketPlan plan)
    : exchange_(std::move(exchange)),
      plan_(std::move(plan)),
      client_(std::make_shared<http::WebSocketEnd>(std::make_unique<http::ExchangeStream>(exchange_),
                                                   http::FrameSender::server)),
      opened_(Clock::now()) {}

void SocketPlayer::begin(http::Response head) {
  const std::string key(exchange_->request().headers.first("Sec-WebSocket-Key").value_or(""));
  head.headers.set("Sec-WebSocket-Accept", http::websocket_accept(key));
  head.body.clear();
  exchange_->start(std::move(head));
  const auto self = shared_from_this();
  client_->begin({[self](http::Frame frame) { self->take(std::move(frame)); }, [](auto) {},
                  [self] {
                    if (self->plan_.ended) self->plan_.ended(self->counts_);
                  }});
  if (plan_.heartbeats.version == 4) next_beat_ = opened_ + plan_.heartbeats.interval;
  wake_at(next_beat_);
  go_on();
}

void SocketPlayer::take(http::Frame frame) {
  switch (frame.kind) {
    case http::Frame::Kind::ping:
      return client_->send({http::Frame::Kind::pong, std::move(frame.bytes), true});
    case http::Frame::Kind::pong:
      return;
    case http::Frame::Kind::close:
      return client_->close(http::closing_of(frame.bytes));
    case http::Frame::Kind::text:
    case http::Frame::Kind::binary:
      break;
  }
  message_ += frame.bytes;
  if (!frame.is_last) return;
  const auto type = frame.kind == http::Frame::Kind::text ? Type::text : Type::binary;
  take_message(std::exchange(message_, {}), type);
}

void SocketPlayer::take_message(const std::string& text, Type type) {
  if (plan_.heartbeats.version != 0 && type == Type::text && api::is_heartbeat(text)) {
    if (plan_.heartbeats.version == 3 && text == "2") client_->send({http::Frame::Kind::text, "3", true});
    return;
  }
  ++counts_.received;
  const auto begin = plan_.messages.begin();
  const auto recorded =
      std::find_if(begin + static_cast<std::ptrdiff_t>(compared_), plan_.messages.end(), is_of_client);
  compared_ = static_cast<std::size_t>(recorded - begin);
  const bool is_same = recorded != plan_.messages.end() && recorded->type == type &&
                       (recorded->text == text || !recorded->withheld.empty());
  if (recorded != plan_.messages.end()) ++compared_;
  if (!is_same) ++counts_.different;
  go_on();
}

void SocketPlayer::go_on() {
  while (next_ < plan_.messages.size()) {
    const SocketMessage& message = plan_.messages[next_];
    if (!message.from_device) {
      if (!is_of_client(message)) return;  // its close frame
      if (expected_ == counts_.received) return;
      ++expected_;
    } else if (!is_due(message) || !send(message)) {
      return;
    }
    ++next_;
  }
  client_->finish();  // its recorder was killed, so the recording has no end
}

bool SocketPlayer::send(const SocketMessage& message) {
  switch (message.type) {
    case Type::text:
    case Type::binary:
      client_->send(frame_of(message));
      ++counts_.sent;
      if (!plan_.cut_after || counts_.sent < *plan_.cut_after) return true;
      client_->finish();
      return false;
    case Type::close:
      client_->close({message.code, message.text});
      return false;
    case Type::cut:
      client_->finish();
      return false;
  }
  return false;
}

bool SocketPlayer::is_due(const SocketMessage& message) {
  if (!plan_.in_recorded_time) return true;
  due_ = opened_ + std::chrono::microseconds(message.at_us);
  if (Clock::now() >= due_) return true;
  wake_at(due_);
  return false;
}

/// An exchange has one timer. It is set to the next time at which something happens.
void SocketPlayer::wake_at(Clock::time_point time) {
  if (time >= timer_ || exchange_->gone()) return;
  timer_ = time;
  const auto wait = std::max(time - Clock::now(), Clock::duration(0));
  exchange_->after(std::chrono::duration_cast<std::chrono::microseconds>(wait), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->wake();
  });
}

void SocketPlayer::wake() {
  timer_ = Clock::time_point::max();
  const Clock::time_point now = Clock::now();
  if (now >= next_beat_) {
    client_->send({http::Frame::Kind::text, "2", true});
    next_beat_ = now + plan_.heartbeats.interval;
  }
  if (now >= due_) {
    due_ = Clock::time_point::max();
    go_on();
  }
  wake_at(std::min(next_beat_, due_));
}

}  // namespace tapedeck::replay
