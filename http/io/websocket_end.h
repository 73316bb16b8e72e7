#pragma once
// One end of a WebSocket over a ByteStream. Call it on its loop's thread.

#include <functional>
#include <memory>
#include <string_view>

#include "http/io/byte_stream.h"
#include "http/message/websocket.h"

namespace tapedeck::http {

class WebSocketEnd : public std::enable_shared_from_this<WebSocketEnd> {
 public:
  /// The events keep what they use alive until `gone`.
  struct Events {
    /// A piece of a message, or a control frame. No message comes after a close frame.
    std::function<void(Frame)> frame;
    /// The other side broke the protocol. It gets a close frame with this code.
    std::function<void(CloseCode)> invalid;
    /// The stream has ended. Called once, last.
    std::function<void()> gone;
  };

  /// `self` is the side that this end has.
  WebSocketEnd(std::unique_ptr<ByteStream> stream, FrameSender self);
  /// Reads until the stream ends, with `first` as the first bytes.
  void begin(Events events, std::string_view first = {});
  /// Reads nothing until resume(). Frames that were received already still arrive.
  void pause() { is_paused_ = true; }
  void resume();

  /// Sends a frame. Frames after a close frame are ignored.
  void send(const Frame& frame);
  /// Sends a close frame, unless one was sent. The stream ends once both sides have sent one.
  void close(const Closing& closing);
  /// Ends the stream after everything is sent.
  void finish();
  /// Ends the stream immediately.
  void cut();
  [[nodiscard]] std::size_t unsent() const { return stream_->unsent(); }
  void on_drained(std::function<void()> callback) { stream_->on_drained(std::move(callback)); }

 private:
  void read();
  void take(std::string_view bytes);
  void end();

  std::unique_ptr<ByteStream> stream_;
  FrameSender self_;
  FrameReader reader_;
  Events events_;
  bool is_paused_ = false, is_reading_ = false;
  bool in_message_ = false;  ///< a message was sent in part
  bool has_sent_close_ = false, has_received_close_ = false, is_over_ = false;
};

}  // namespace tapedeck::http
