#include "proxy/socket_recording.h"

#include <utility>

namespace tapedeck::proxy {
namespace {

using api::SocketMessage;

/// A side is not read while more than this waits for the other one.
constexpr std::size_t most_unsent = 1u << 20;
/// The sum of all payloads of a connection, so that its interaction fits in a cassette.
constexpr std::size_t most_stored = 160u << 20;

SocketMessage::Type type_of(http::Frame::Kind kind) {
  return kind == http::Frame::Kind::text ? SocketMessage::Type::text : SocketMessage::Type::binary;
}

}  // namespace

SocketRecording::SocketRecording(SocketOptions options, std::unique_ptr<http::ByteStream> client,
                                 std::unique_ptr<http::ByteStream> device, Store store)
    : options_(options),
      client_(std::make_shared<http::WebSocketEnd>(std::move(client), http::FrameSender::server)),
      device_(std::make_shared<http::WebSocketEnd>(std::move(device), http::FrameSender::client)),
      store_(std::move(store)) {}

void SocketRecording::begin(std::string_view first) {
  const auto self = shared_from_this();
  client_->on_drained([weak = weak_from_this()] {
    if (const auto alive = weak.lock()) alive->limit_device();
  });
  device_->on_drained([weak = weak_from_this()] {
    if (const auto alive = weak.lock()) alive->client_->resume();
  });
  client_->begin({[self](Frame frame) { self->from_client(std::move(frame)); }, [](auto) {},
                  [self] {
                    self->stop_storing(false, "the client's connection ended without a close frame");
                    self->device_->cut();
                  }});
  device_->begin(
      {[self](Frame frame) { self->from_device(std::move(frame)); },
       [self](auto) { self->stop_storing(true, "the device sent an invalid frame"); }, [self] { self->device_gone(); }},
      first);
}

void SocketRecording::from_client(Frame frame) {
  if (frame.kind == Frame::Kind::close) return close_from(false, frame);
  device_->send(frame);
  if (device_->unsent() > most_unsent) client_->pause();
  if (!frame.is_message() || !stores_ || !collect(client_message_, frame)) return;
  std::string text = std::exchange(client_message_, {});
  if (!is_stored(frame, text)) return;
  SocketMessage message;
  message.type = type_of(frame.kind);
  message.text = std::move(text);
  store(std::move(message), nullptr);
}

void SocketRecording::from_device(Frame frame) {
  if (frame.kind == Frame::Kind::close) return close_from(true, frame);
  if (!frame.is_message()) return hold(std::move(frame), true);
  if (!stores_ || passes_pieces_) {
    passes_pieces_ = !frame.is_last;
    return hold(std::move(frame), true);
  }
  const bool is_whole = collect(device_message_, frame);
  if (!stores_) {  // the message became too long
    passes_pieces_ = !frame.is_last;
    return hold({frame.kind, std::exchange(device_message_, {}), frame.is_last}, true);
  }
  if (!is_whole) return;
  Frame whole{frame.kind, std::exchange(device_message_, {}), true};
  if (!is_stored(whole, whole.bytes)) return hold(std::move(whole), true);
  SocketMessage message;
  message.from_device = true;
  message.type = type_of(whole.kind);
  message.text = whole.bytes;
  hold(std::move(whole), false);
  // A deque keeps references to the others when one is added at the end or removed at the front.
  Held* const mine = &held_.back();
  store(std::move(message), [self = shared_from_this(), mine] {
    mine->is_stored = true;
    self->deliver();
  });
}

bool SocketRecording::is_stored(const Frame& frame, const std::string& text) const {
  return !(options_.has_heartbeats && frame.kind == Frame::Kind::text && api::is_heartbeat(text));
}

bool SocketRecording::collect(std::string& message, const Frame& piece) {
  message += piece.bytes;
  if (message.size() > options_.max_message) {
    stop_storing(true, "a message is longer than --max-message");
  } else if (bytes_ + message.size() > most_stored) {
    stop_storing(true, "its messages are longer than a cassette can hold");
  } else if (piece.is_last && messages_ >= api::most_messages) {
    stop_storing(true, "it has more than 100,000 messages");
  }
  return stores_ && piece.is_last;
}

void SocketRecording::store(SocketMessage message, std::function<void()> done) {
  bytes_ += message.text.size();
  const auto since = std::chrono::steady_clock::now() - opened_;
  message.at_us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  store_(message, ++messages_, std::move(done));
}

void SocketRecording::stop_storing(bool device, const std::string& why) {
  client_message_.clear();
  if (!std::exchange(stores_, false)) return;
  SocketMessage message;
  message.from_device = device;
  message.type = SocketMessage::Type::cut;
  message.text = why;
  store(std::move(message), nullptr);
}

/// Stores only the close frame of the side that closes first.
void SocketRecording::close_from(bool device, const Frame& frame) {
  const http::Closing closing = http::closing_of(frame.bytes);
  if (stores_) {
    SocketMessage message;
    message.from_device = device;
    message.type = SocketMessage::Type::close;
    message.code = closing.code;
    message.text = closing.reason;
    store(std::move(message), nullptr);
    stores_ = false;
  }
  if (!device) return device_->close(closing);
  last_ = [this, closing] { client_->close(closing); };
  deliver();
}

void SocketRecording::device_gone() {
  stop_storing(true, "the device's connection ended without a close frame");
  last_ = [this, close = std::exchange(last_, nullptr)] {
    if (close) close();
    client_->finish();
  };
  deliver();
}

void SocketRecording::hold(Frame frame, bool is_stored) {
  held_bytes_ += frame.bytes.size();
  held_.push_back({std::move(frame), is_stored});
  limit_device();
  deliver();
}

void SocketRecording::deliver() {
  while (!held_.empty() && held_.front().is_stored) {
    held_bytes_ -= held_.front().frame.bytes.size();
    client_->send(held_.front().frame);
    held_.pop_front();
  }
  limit_device();
  if (!held_.empty() || !last_) return;
  const auto self = shared_from_this();
  std::exchange(last_, nullptr)();
}

void SocketRecording::limit_device() {
  if (held_bytes_ + client_->unsent() > most_unsent) {
    device_->pause();
  } else {
    device_->resume();
  }
}

}  // namespace tapedeck::proxy
