#pragma once
// The messages of a recorded WebSocket. They are the body of the interaction whose response is the 101: a JSON list
// with one object for each message, so that rules, tools, and editors treat them as any JSON
// (docs/cassette-format.md, "WebSocket").

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/websocket.h"

namespace tapedeck::api {

/// The maximum number of stored messages of a connection. Further ones are passed on and not stored.
inline constexpr std::size_t most_messages = 100'000;

struct SocketMessage {
  enum class Type {
    text,
    binary,
    close,  ///< the last one: the sender's close frame
    cut,    ///< the last one: the connection ended without a close frame, or is not recorded further; `text` is why
  };
  bool from_device = false;
  std::int64_t at_us = 0;  ///< microseconds since the connection was opened
  Type type = Type::text;
  std::string text;        ///< the payload; for `close`, its reason
  std::uint16_t code = 0;  ///< of `close`; 0: none
  std::string withheld;    ///< why the payload is not stored; then `text` is empty
  /// Returns true for a message itself, and false for an end of the connection.
  [[nodiscard]] bool is_content() const { return type == Type::text || type == Type::binary; }
  bool operator==(const SocketMessage&) const = default;
};

/// The messages of a connection, without heartbeats.
struct MessageCounts {
  std::uint64_t sent = 0, received = 0;  ///< to and from the client
  std::uint64_t different = 0;           ///< of the received ones: not as recorded. 0 while recording
};

/// Returns the object of a message, in one line.
[[nodiscard]] std::string to_json(const SocketMessage& message);
/// Returns the body with these messages.
[[nodiscard]] std::string transcript(const std::vector<SocketMessage>& messages);
/// Returns the messages of a body, or nothing if it is not a list of them.
[[nodiscard]] std::optional<std::vector<SocketMessage>> parse_transcript(std::string_view body);

/// Returns the version of Engine.IO, which socket.io uses: the parameter EIO of the target. 0: none.
[[nodiscard]] int engine_io_version(std::string_view target);
/// Returns true for the target of a poll, of a message, or of a WebSocket of socket.io.
[[nodiscard]] bool is_socket_io(std::string_view target);
/// Returns true for a heartbeat of Engine.IO: the packets 2 and 3 without data.
[[nodiscard]] bool is_heartbeat(std::string_view text);
/// Returns true for a request's body that is only a heartbeat: "3" of version 4, "1:2" of version 3.
[[nodiscard]] bool is_polled_heartbeat(std::string_view body);

/// The heartbeats of Engine.IO on a connection. No recording has them.
struct Heartbeats {
  int version = 0;                       ///< of the protocol, 3 or 4; 0: no Engine.IO
  std::chrono::milliseconds interval{};  ///< version 4: the server sends one after this time
};
/// Returns the interval that the handshake in a response or message announces, if it is one.
[[nodiscard]] std::optional<std::chrono::milliseconds> announced_interval(std::string_view text);
/// Returns the heartbeats of a connection with this target. A connection that began with polling announces no interval;
/// it has that of the handshake before.
[[nodiscard]] Heartbeats heartbeats_of(std::string_view target, const std::vector<SocketMessage>& messages,
                                       std::chrono::milliseconds before);

}  // namespace tapedeck::api
