#pragma once
// One client connection: bytes in, whole requests to the handler, answers out, one after the other. A connection is a
// state machine and not a coroutine: most of its life it waits, and while it waits it should cost a socket and a few
// hundred bytes, not a frame and a buffer. It touches its socket only through readiness and plain calls, or through
// the TLS stream; deadlines are looked at by a sweep (see sweep_period).

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/io/event_loop.h"
#include "http/io/limits.h"
#include "http/io/tls_context.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// What all connections of a listener share.
struct ServerShared {
  Limits limits;
  bool streams_bodies = false;
  HeadLimits head_limits;  ///< without one for the body where bodies are streamed
  Handler* handler = nullptr;
  std::unique_ptr<TlsContext> tls;
  std::atomic<bool> closing{false};
  std::atomic<std::size_t> open{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::size_t> longest_reply{0};  ///< in bytes
  std::function<void()> on_all_closed;        ///< set before `closing`; called on whichever loop closes the last one
};

class ServerConnection {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~ServerConnection() = default;
  virtual void begin() = 0;
  /// Acts on a deadline that has passed.
  virtual void sweep(Clock::time_point now) = 0;
  /// For one that waits for room in the buffers: false while there is none.
  [[nodiscard]] virtual bool try_again() = 0;
  /// Closes when no request is being answered; otherwise the answer under way is the last one.
  virtual void close_when_idle() = 0;
  virtual void close_now() = 0;
  /// Sends what the requests so far brought about and asks for more input where it can be used.
  virtual void go_on() = 0;

  std::size_t slot = 0;  ///< its place in the group
};

/// The connections of one loop; for its thread alone.
class ConnectionGroup : public std::enable_shared_from_this<ConnectionGroup> {
 public:
  ConnectionGroup(EventLoop& loop, std::shared_ptr<ServerShared> shared) : loop_(loop), shared_(std::move(shared)) {}

  /// Takes over a connected socket, which counts in ServerShared::open already.
  void adopt(int socket, std::string peer);
  void start_sweeping();
  void close_when_idle();
  void close_all();
  /// Forgets the connections without a word, when their loop runs no more.
  void drop_all();
  void remove(ServerConnection& connection);
  /// Calls its go_on() when the other connections that are ready now have been served as well. Answers then leave one
  /// right after the other, and a client with many connections is woken for all of them once: waking it costs as much
  /// as a small answer.
  void go_on_together(std::shared_ptr<ServerConnection> connection);

  /// Has its try_again() called from time to time, first come first served, until that is true.
  void wait_for_room(std::shared_ptr<ServerConnection> connection) { waiting_.push_back(std::move(connection)); }
  [[nodiscard]] bool anyone_waits() const { return !waiting_.empty(); }

  [[nodiscard]] EventLoop& loop() { return loop_; }
  [[nodiscard]] ServerShared& shared() { return *shared_; }

 private:
  EventLoop& loop_;
  std::shared_ptr<ServerShared> shared_;
  std::vector<std::shared_ptr<ServerConnection>> connections_;
  std::deque<std::shared_ptr<ServerConnection>> waiting_;
  std::vector<std::shared_ptr<ServerConnection>> answered_;  ///< to go on together
  std::vector<std::shared_ptr<ServerConnection>> going_on_;  ///< those that do right now
};

}  // namespace tapedeck::http
