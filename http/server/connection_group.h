#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/io/event_loop.h"
#include "http/server/server_connection.h"
#include "http/server/server_shared.h"
#include "http/server/upload_turns.h"

namespace tapedeck::http {

/// The connections of one loop. Call it on the loop's thread.
class ConnectionGroup : public std::enable_shared_from_this<ConnectionGroup> {
 public:
  ConnectionGroup(EventLoop& loop, std::shared_ptr<ServerShared> shared)
      : loop_(loop), shared_(std::move(shared)), uploads_(shared_->limits.buffer_bytes) {}
  ~ConnectionGroup() { note_waiting(false); }
  ConnectionGroup(const ConnectionGroup&) = delete;
  ConnectionGroup& operator=(const ConnectionGroup&) = delete;

  /// Takes over a connected socket, which is already counted in ServerShared::open.
  void adopt(int socket);
  void start_sweeping();
  void close_when_idle();
  void close_all();
  /// Drops all connections silently, because their loop has stopped.
  void drop_all();
  void remove(ServerConnection& connection);
  /// Calls go_on() after the other ready connections were served. Responses are then sent one right after another, and
  /// a client with many connections is woken only once, which is important because waking it costs as much as a small
  /// response.
  void go_on_together(std::shared_ptr<ServerConnection> connection);

  /// Calls try_again() repeatedly, in order, until it returns true.
  void wait_for_room(std::shared_ptr<ServerConnection> connection) { waiting_.push_back(std::move(connection)); }
  [[nodiscard]] bool anyone_waits() const { return !waiting_.empty(); }

  [[nodiscard]] UploadTurns& uploads() { return uploads_; }
  [[nodiscard]] EventLoop& loop() { return loop_; }
  [[nodiscard]] ServerShared& shared() { return *shared_; }

 private:
  void give_room(EventLoop::Clock::time_point now);
  void take_room_from_slow_clients();
  void note_waiting(bool waits);

  EventLoop& loop_;
  std::shared_ptr<ServerShared> shared_;
  std::vector<std::shared_ptr<ServerConnection>> connections_;
  std::deque<std::shared_ptr<ServerConnection>> waiting_;
  UploadTurns uploads_;
  /// True if requests or uploads were waiting at the last check.
  bool has_waiting_ = false;
  /// Number of such groups in the process, which shares the buffers.
  static inline std::atomic<std::size_t> groups_with_waiting_{0};
  std::vector<std::shared_ptr<ServerConnection>> answered_;        ///< connections that will continue together
  std::vector<std::shared_ptr<ServerConnection>> going_on_;        ///< connections that are continuing now
};

}  // namespace tapedeck::http
