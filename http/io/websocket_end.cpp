#include "http/io/websocket_end.h"

#include <utility>

namespace tapedeck::http {

WebSocketEnd::WebSocketEnd(std::unique_ptr<ByteStream> stream, FrameSender self)
    : stream_(std::move(stream)),
      self_(self),
      reader_(self == FrameSender::server ? FrameSender::client : FrameSender::server) {}

void WebSocketEnd::begin(Events events, std::string_view first) {
  events_ = std::move(events);
  if (!first.empty()) take(first);
  read();
}

void WebSocketEnd::resume() {
  is_paused_ = false;
  read();
}

void WebSocketEnd::read() {
  if (is_paused_ || is_reading_ || is_over_) return;
  is_reading_ = true;
  stream_->read([self = shared_from_this()](std::optional<std::string> bytes) {
    self->is_reading_ = false;
    if (!bytes) return self->end();
    self->take(*bytes);
    self->read();
  });
}

void WebSocketEnd::take(std::string_view bytes) {
  const auto self = shared_from_this();
  FrameReader::Result result = reader_.feed(bytes);
  for (Frame& frame : result.frames) {
    if (is_over_) return;
    has_received_close_ = has_received_close_ || frame.kind == Frame::Kind::close;
    events_.frame(std::move(frame));
  }
  if (is_over_) return;
  if (result.failure) {
    events_.invalid(*result.failure);
    close({static_cast<std::uint16_t>(*result.failure), {}});
    return finish();
  }
  if (has_sent_close_ && has_received_close_) finish();
}

void WebSocketEnd::send(const Frame& frame) {
  if (has_sent_close_ || is_over_) return;
  stream_->write(frame_bytes(frame, self_, in_message_ && frame.is_message()));
  if (frame.is_message()) in_message_ = !frame.is_last;
}

void WebSocketEnd::close(const Closing& closing) {
  send({Frame::Kind::close, payload_of(closing), true});
  has_sent_close_ = true;
  if (has_received_close_) finish();
}

void WebSocketEnd::finish() {
  if (is_over_) return;
  stream_->finish();
  end();
}

void WebSocketEnd::cut() {
  if (is_over_) return;
  stream_->abort();
  end();
}

void WebSocketEnd::end() {
  if (std::exchange(is_over_, true)) return;
  const auto self = shared_from_this();
  stream_->on_drained(nullptr);
  const Events events = std::exchange(events_, {});
  if (events.gone) events.gone();
}

}  // namespace tapedeck::http
