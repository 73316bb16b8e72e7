#pragma once

#include <chrono>
#include <cstddef>

namespace tapedeck::http {

/// What a ConnectionGroup asks of its connections. On their loop's thread.
class ServerConnection {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~ServerConnection() = default;
  virtual void begin() = 0;
  /// Acts on a deadline that has passed.
  virtual void sweep(Clock::time_point now) = 0;
  /// For one that waits for room in the buffers: false while there is none.
  [[nodiscard]] virtual bool try_again() = 0;
  /// For an upload that waited (UploadTurns): it may be read on.
  virtual void read_on() = 0;
  /// Closes when no request is being answered; otherwise the answer under way is the last one.
  virtual void close_when_idle() = 0;
  virtual void close_now() = 0;
  /// The bytes that wait for a client which takes its response so slowly that it would take longer than --write-time;
  /// 0 for any other.
  [[nodiscard]] virtual std::size_t held_by_slow_client() const = 0;
  /// Gives up its response, because others wait for room in the buffers.
  virtual void give_way() = 0;
  /// Sends what the requests so far brought about and asks for more input where it can be used.
  virtual void go_on() = 0;

  std::size_t slot = 0;  ///< its place in the group
};

}  // namespace tapedeck::http
