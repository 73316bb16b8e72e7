#pragma once
// Requests that still come: which of them may be read on while the buffers are full.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>

namespace tapedeck::http {

class ServerConnection;

/// The uploads of one loop, the oldest first; for its thread alone. Half of the buffers is for everybody. The other
/// half is for the oldest upload that moves, so that there is always one that becomes whole. Beyond the buffers the
/// oldest goes on only where nothing else will give anything back.
class UploadTurns {
 public:
  using Clock = std::chrono::steady_clock;
  struct Upload {
    ServerConnection* connection;
    Clock::time_point moved;  ///< when something of it last came
    bool waits = false;       ///< nothing of it is read
  };
  using Place = std::list<Upload>::iterator;

  explicit UploadTurns(std::size_t buffer_bytes) : limit_(buffer_bytes) {}

  [[nodiscard]] Place add(ServerConnection& connection, Clock::time_point now) {
    return uploads_.insert(uploads_.end(), Upload{&connection, now});
  }
  void remove(Place place) { uploads_.erase(place); }
  /// `request_waits`: a whole one, for room.
  [[nodiscard]] bool may_go_on(Place place, Clock::time_point now, bool request_waits) const;
  [[nodiscard]] bool anyone_waits() const {
    return std::any_of(uploads_.begin(), uploads_.end(), [](const Upload& one) { return one.waits; });
  }
  /// The next that waits and may go on, or nothing; it waits no more. `woken`: how many that was said of just now.
  [[nodiscard]] ServerConnection* next(Clock::time_point now, bool request_waits, std::size_t woken);

 private:
  [[nodiscard]] bool may_go_on(Place place, Clock::time_point now, bool request_waits, std::size_t total) const;

  std::size_t limit_;
  std::list<Upload> uploads_;
};

}  // namespace tapedeck::http
