#pragma once
// The connections of a listener, by loop, and the data that they share.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "http/io/buffer_charge.h"
#include "http/io/event_loop.h"
#include "http/io/limits.h"
#include "http/io/tls_context.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

class Connection;

/// The data that all connections of a listener share.
struct ServerShared {
  Limits limits;
  bool streams_bodies = false;
  Headers added;                                         ///< as in ListenerOptions
  HeadLimits head_limits;                                ///< without a limit for the body if bodies are streamed
  std::function<void(std::string_view why)> on_refused;  ///< as in ListenerOptions
  std::function<void(std::string_view what)> on_failed;  ///< as in ListenerOptions
  Handler* handler = nullptr;
  std::unique_ptr<TlsContext> tls;
  std::atomic<bool> closing{false};
  std::atomic<std::size_t> open{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::size_t> longest_reply{0};  ///< size of the longest response so far in bytes
  /// Set before `closing`; called on the loop that closes the last connection.
  std::function<void()> on_all_closed;

  /// Returns true if the buffers have room for the next response, which may be as long as the longest one so far,
  /// without `own` bytes of its request. All connections share half of the buffers, so that a few bytes of one client
  /// do not block the others.
  [[nodiscard]] bool has_room(std::size_t own = 0) const {
    const std::size_t next = std::min(longest_reply.load(std::memory_order_relaxed), limits.buffer_bytes / 2);
    return BufferCharge::total() - own + next <= limits.buffer_bytes;
  }
};

/// The uploads of one loop, oldest first. Call it on the loop's thread. All uploads share half of the buffers. The
/// other half is for the oldest one that makes progress, so that at least one completes. If the buffers are full, the
/// oldest one continues only if requests use nearly all of them, because then nothing else would free memory.
class UploadQueue {
 public:
  using Clock = std::chrono::steady_clock;
  /// One upload, until it is destroyed.
  struct Upload {
    Upload(UploadQueue& its_queue, Connection& its_connection) : queue(its_queue), connection(its_connection) {
      queue.uploads_.push_back(this);
    }
    ~Upload() { std::erase(queue.uploads_, this); }
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;

    UploadQueue& queue;
    Connection& connection;
    Clock::time_point moved{};  ///< time when its last part was received
    bool waits = false;         ///< true while it is not being read
  };

  explicit UploadQueue(std::size_t buffer_bytes) : limit_(buffer_bytes) {}

  /// Returns true if the upload may be read. `request_waits`: a complete request waits for room in the buffers.
  [[nodiscard]] bool may_continue(const Upload& upload, Clock::time_point now, bool request_waits,
                                  std::size_t total = BufferCharge::total()) const;
  [[nodiscard]] bool anyone_waits() const {
    return std::any_of(uploads_.begin(), uploads_.end(), [](const Upload* one) { return one->waits; });
  }
  /// Ends the wait of the oldest waiting upload if it may continue, and returns its connection. Otherwise returns null.
  /// `woken` is the number of uploads that were continued just before.
  [[nodiscard]] Connection* next(Clock::time_point now, bool request_waits, std::size_t woken);

 private:
  std::size_t limit_;
  std::vector<Upload*> uploads_;
};

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
  void remove(Connection& connection);
  /// Calls go_on() after the other ready connections were served. Responses are then sent one right after another, and
  /// a client with many connections is woken only once, which is important because waking it costs as much as a small
  /// response.
  void go_on_together(std::shared_ptr<Connection> connection);

  /// Calls try_again() repeatedly, in order, until it returns true.
  void wait_for_room(std::shared_ptr<Connection> connection) { waiting_.push_back(std::move(connection)); }
  [[nodiscard]] bool anyone_waits() const { return !waiting_.empty(); }

  [[nodiscard]] UploadQueue& uploads() { return uploads_; }
  [[nodiscard]] EventLoop& loop() { return loop_; }
  [[nodiscard]] ServerShared& shared() { return *shared_; }

 private:
  void give_room(EventLoop::Clock::time_point now);
  void take_room_from_slow_clients();
  void note_waiting(bool waits);

  EventLoop& loop_;
  std::shared_ptr<ServerShared> shared_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::deque<std::shared_ptr<Connection>> waiting_;
  UploadQueue uploads_;
  /// True if requests or uploads were waiting at the last check.
  bool has_waiting_ = false;
  /// Number of such groups in the process, which shares the buffers.
  static inline std::atomic<std::size_t> groups_with_waiting_{0};
  std::vector<std::shared_ptr<Connection>> answered_;  ///< connections that will continue together
  std::vector<std::shared_ptr<Connection>> going_on_;  ///< connections that are continuing now
};

/// Returns the local address and port of a socket: the bound address of a listening socket, or the address to which a
/// client has connected.
[[nodiscard]] Endpoint local_endpoint(int socket);

}  // namespace tapedeck::http
