#pragma once
// Replays a recorded WebSocket (docs/replay.md, "WebSocket").

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/transcript.h"
#include "http/io/websocket_end.h"
#include "http/server/exchange.h"

namespace tapedeck::replay {

struct SocketPlan {
  std::vector<api::SocketMessage> messages;  ///< with the session's values
  api::Heartbeats heartbeats;
  bool in_recorded_time = false;           ///< no message comes earlier than recorded
  std::optional<std::uint64_t> cut_after;  ///< the connection is cut after this number of messages to the client
  std::function<void(const api::MessageCounts&)> ended;  ///< called once
};

/// Sends a message of the device once the client has sent as many messages as came before it in the recording. After
/// the last one, the connection stays open until the client closes it, unless the device had closed it. Keeps itself
/// alive. Call it on the loop's thread.
class SocketPlayer : public std::enable_shared_from_this<SocketPlayer> {
 public:
  SocketPlayer(std::shared_ptr<http::Exchange> exchange, SocketPlan plan);
  /// Accepts the client's request with the recorded head (status 101).
  void begin(http::Response head);

 private:
  using Clock = std::chrono::steady_clock;

  void take(http::Frame frame);
  void take_message(const std::string& text, api::SocketMessage::Type type);
  void go_on();
  /// Sends a message of the device. Returns false if nothing may follow now.
  [[nodiscard]] bool send(const api::SocketMessage& message);
  [[nodiscard]] bool is_due(const api::SocketMessage& message);
  void wake_at(Clock::time_point time);
  void wake();

  std::shared_ptr<http::Exchange> exchange_;
  SocketPlan plan_;
  std::shared_ptr<http::WebSocketEnd> client_;
  api::MessageCounts counts_;
  std::size_t next_ = 0;        ///< index of the next message in the plan
  std::size_t compared_ = 0;    ///< index after the client's message with which the last one was compared
  std::uint64_t expected_ = 0;  ///< messages of the client before `next_`
  std::string message_;         ///< the pieces of a message that is not complete
  Clock::time_point opened_, next_beat_ = Clock::time_point::max(), due_ = Clock::time_point::max();
  Clock::time_point timer_ = Clock::time_point::max();
};

}  // namespace tapedeck::replay
