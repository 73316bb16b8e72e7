#pragma once
// WebSocket (RFC 6455) as values: the handshake's headers, and frames. Without extensions, so reserved bits are errors.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::http {

/// Returns true for a GET with `Upgrade: websocket`, a key, and version 13 (RFC 6455 §4.2.1).
[[nodiscard]] bool asks_for_websocket(const Request& request);
/// Returns true for a GET with `Upgrade: websocket`, which is all that a recording keeps of it.
[[nodiscard]] bool names_websocket(const Request& request);
/// Returns a random value for Sec-WebSocket-Key.
[[nodiscard]] std::string websocket_key();
/// Returns the value of Sec-WebSocket-Accept for a key.
[[nodiscard]] std::string websocket_accept(std::string_view key);

/// Codes that an endpoint sends when the other one breaks the protocol (RFC 6455 §7.4.1).
enum class CloseCode : std::uint16_t { normal = 1000, going_away = 1001, protocol = 1002, no_utf8 = 1007 };

/// A whole control frame, or a piece of a message. The pieces of a message have the same kind, and only control frames
/// can be between them.
struct Frame {
  enum class Kind { text, binary, ping, pong, close };
  Kind kind = Kind::text;
  std::string bytes;
  bool is_last = true;  ///< true for a control frame, and for the last piece of a message

  [[nodiscard]] bool is_message() const { return kind == Kind::text || kind == Kind::binary; }
};

/// The payload of a close frame.
struct Closing {
  std::uint16_t code = 0;  ///< 0 if the frame has none
  std::string reason;
};
/// Parses the payload of a close frame that FrameReader has accepted.
[[nodiscard]] Closing closing_of(std::string_view payload);
[[nodiscard]] std::string payload_of(const Closing& closing);

/// The side that sends the frames. A client masks them.
enum class FrameSender { client, server };

/// Reads the frames of one side, from any pieces of bytes.
class FrameReader {
 public:
  explicit FrameReader(FrameSender sender) : sender_(sender) {}

  struct Result {
    std::vector<Frame> frames;         ///< everything before the failure
    std::optional<CloseCode> failure;  ///< how the sender broke the protocol
  };
  /// Bytes behind a close frame or a failure are ignored. Payloads of messages are returned as they arrive; their size
  /// has no limit here.
  [[nodiscard]] Result feed(std::string_view bytes);

 private:
  /// Reads the head of a frame. Returns false if it is not complete.
  [[nodiscard]] bool take_head(Result& result);
  void take_payload(std::string_view& bytes, Result& result);
  void end_control(Result& result);
  void fail(Result& result, CloseCode code);
  /// Returns false if the text of a message can no longer become UTF-8.
  [[nodiscard]] bool check_text(std::string_view piece, bool is_last);

  const FrameSender sender_;
  bool is_over_ = false;
  std::string head_;                       ///< the bytes of a head that is not complete
  std::optional<Frame::Kind> in_message_;  ///< the kind of a message that is not complete
  std::string cut_character_;              ///< the beginning of a character at the end of a piece
  bool in_frame_ = false;
  Frame::Kind kind_ = Frame::Kind::text;
  bool is_final_ = true;
  std::uint64_t left_ = 0;  ///< bytes of the payload that are missing
  std::string mask_;        ///< empty, or 4 bytes
  std::size_t masked_ = 0;  ///< position in the mask
  std::string control_;     ///< the payload of a control frame
};

/// Returns the bytes of a frame. `continues`: it is not the first piece of its message.
[[nodiscard]] std::string frame_bytes(const Frame& frame, FrameSender sender, bool continues = false);

}  // namespace tapedeck::http
