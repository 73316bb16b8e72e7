#pragma once
// Decides which connections may continue to receive their requests while the buffers are nearly full.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>

namespace tapedeck::http {

class ServerConnection;

/// The uploads of one loop, oldest first. Call it on the loop's thread. All uploads share half of the buffers. The
/// other half is for the oldest one that makes progress, so that at least one completes. If the buffers are full, the
/// oldest one continues only if requests use nearly all of them, because then nothing else would free memory.
class UploadTurns {
 public:
  using Clock = std::chrono::steady_clock;
  struct Upload {
    ServerConnection* connection;
    Clock::time_point moved;  ///< time when its last part was received
    bool waits = false;       ///< true while it is not being read
  };
  using Place = std::list<Upload>::iterator;

  explicit UploadTurns(std::size_t buffer_bytes) : limit_(buffer_bytes) {}

  [[nodiscard]] Place add(ServerConnection& connection, Clock::time_point now) {
    return uploads_.insert(uploads_.end(), Upload{&connection, now});
  }
  void remove(Place place) { uploads_.erase(place); }
  /// Returns true if the upload may be read. `request_waits`: a complete request waits for room in the buffers.
  [[nodiscard]] bool may_go_on(Place place, Clock::time_point now, bool request_waits) const;
  [[nodiscard]] bool anyone_waits() const {
    return std::any_of(uploads_.begin(), uploads_.end(), [](const Upload& one) { return one.waits; });
  }
  /// Ends the wait of the oldest waiting upload if it may continue, and returns its connection. Otherwise returns null.
  /// `woken` is the number of uploads that were continued just before.
  [[nodiscard]] ServerConnection* next(Clock::time_point now, bool request_waits, std::size_t woken);

 private:
  [[nodiscard]] bool may_go_on(Place place, Clock::time_point now, bool request_waits, std::size_t total) const;

  std::size_t limit_;
  std::list<Upload> uploads_;
};

}  // namespace tapedeck::http
