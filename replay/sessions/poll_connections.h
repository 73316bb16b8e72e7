#pragma once
// The connections of socket.io (Engine.IO) that replay opened by a handshake over polling. Each has its own ID and its
// own positions. So each page gets the recorded polls from the beginning, also one that connects again
// (docs/replay.md, "Long polls").

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/message.h"
#include "replay/sessions/cursors.h"

namespace tapedeck::replay {

/// Thread-safe.
class PollConnection {
 public:
  explicit PollConnection(std::string id) : recorded_id(std::move(id)) {}

  /// The ID in the responses of recordings, with which the client's requests are compared.
  const std::string recorded_id;
  PositionStore positions;

  /// Notes a heartbeat of the client. Returns true if the request is one; then the response is "ok".
  [[nodiscard]] bool take_heartbeat(const http::Request& request);
  /// Returns the response to a poll without an event: a heartbeat if it is time for one, or an empty packet.
  [[nodiscard]] std::string_view idle(int version, std::chrono::milliseconds interval);

 private:
  std::mutex mutex_;  ///< guards the members below
  bool owes_heartbeat_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Thread-safe.
class PollConnections {
 public:
  static constexpr std::size_t most = 10'000;  ///< older ones are forgotten

  /// If the body is a handshake, opens a connection and returns the body with its ID, which is as long as the recorded
  /// one. The same sequence of handshakes gets the same IDs.
  [[nodiscard]] std::optional<std::string> open(std::string_view body);
  /// Returns the connection of a request and puts the recorded ID in the request. Null if no handshake announced it.
  [[nodiscard]] std::shared_ptr<PollConnection> exchange(http::Request& request) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<PollConnection>, std::less<>> by_id_;
  std::deque<std::string> ids_;                           ///< in the order of their handshakes
  std::map<std::string, std::uint32_t, std::less<>> of_;  ///< number of the last new ID for a recorded one
};

}  // namespace tapedeck::replay
