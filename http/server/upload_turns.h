#pragma once
// Decides which incoming requests are read further while the buffers are full.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>

namespace tapedeck::http {

class ServerConnection;

/// The uploads of one loop, the oldest first. For its thread. Half of the buffers is for all uploads, the other half
/// for the oldest one that makes progress, so that one always completes. If the buffers are full, the oldest one only
/// continues if nothing else will free memory.
class UploadTurns {
 public:
  using Clock = std::chrono::steady_clock;
  struct Upload {
    ServerConnection* connection;
    Clock::time_point moved;  ///< when a part of it last came
    bool waits = false;       ///< it is not read
  };
  using Place = std::list<Upload>::iterator;

  explicit UploadTurns(std::size_t buffer_bytes) : limit_(buffer_bytes) {}

  [[nodiscard]] Place add(ServerConnection& connection, Clock::time_point now) {
    return uploads_.insert(uploads_.end(), Upload{&connection, now});
  }
  void remove(Place place) { uploads_.erase(place); }
  /// `request_waits`: a complete request waits for room.
  [[nodiscard]] bool may_go_on(Place place, Clock::time_point now, bool request_waits) const;
  [[nodiscard]] bool anyone_waits() const {
    return std::any_of(uploads_.begin(), uploads_.end(), [](const Upload& one) { return one.waits; });
  }
  /// Returns the next waiting upload that may continue, or nothing. `woken`: the number of uploads that were continued
  /// just now.
  [[nodiscard]] ServerConnection* next(Clock::time_point now, bool request_waits, std::size_t woken);

 private:
  [[nodiscard]] bool may_go_on(Place place, Clock::time_point now, bool request_waits, std::size_t total) const;

  std::size_t limit_;
  std::list<Upload> uploads_;
};

}  // namespace tapedeck::http
