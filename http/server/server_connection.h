#pragma once

#include <chrono>
#include <cstddef>

namespace tapedeck::http {

/// A connection of a ConnectionGroup. Call it on its loop's thread.
class ServerConnection {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~ServerConnection() = default;
  virtual void begin() = 0;
  /// Handles an expired deadline.
  virtual void sweep(Clock::time_point now) = 0;
  /// Continues a request that waits for room in the buffers. Returns false if there is still no room.
  [[nodiscard]] virtual bool try_again() = 0;
  /// Continues to read an upload that has waited (UploadTurns).
  virtual void read_on() = 0;
  /// Closes if no request is being handled; otherwise closes after the current response.
  virtual void close_when_idle() = 0;
  virtual void close_now() = 0;
  /// Returns the bytes that wait for a client that would take longer than --write-time for its response. Returns 0 for
  /// other clients.
  [[nodiscard]] virtual std::size_t held_by_slow_client() const = 0;
  /// Drops its response, because other requests wait for room in the buffers.
  virtual void give_way() = 0;
  /// Sends the results of the requests so far, and reads more input if it can be used.
  virtual void go_on() = 0;

  std::size_t slot = 0;  ///< its index in the group
};

}  // namespace tapedeck::http
