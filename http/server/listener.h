#pragma once
// Implements the server side of the data ports. Parses requests strictly (RFC 9112).

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "http/io/event_loop.h"
#include "http/io/limits.h"
#include "http/io/tls.h"
#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

struct ListenerOptions {
  Endpoint endpoint;
  Limits limits;
  std::optional<ServerTls> tls;
  /// Bodies over the limit are read piece by piece (Exchange::read_body) instead of refused with 413.
  bool streams_bodies = false;
  Headers added{};  ///< headers that replace those of each request with these names
  /// Called for each request that is refused before the handler receives it, from any loop thread.
  std::function<void(std::string_view why)> on_refused = {};
  /// Called for each request whose handler has thrown an exception, with its message, from any loop thread. The request
  /// gets a 500, or its connection is closed if a part of the response was sent.
  std::function<void(std::string_view what)> on_failed = {};
};

/// Counters since the start.
struct ListenerStats {
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< requests that got a 4xx or 5xx from the listener itself
};

/// Accepts connections for one endpoint on the first loop, and distributes them over the loops. A request that is not
/// exactly one message according to RFC 9112, or that exceeds a limit, gets a 4xx or 503 with Connection: close and
/// does not reach the handler. The handler and the loops must outlive the listener.
class Listener {
 public:
  /// Binds and listens, but accepts only once the loops run. Throws std::runtime_error.
  Listener(std::span<const std::unique_ptr<EventLoop>> loops, ListenerOptions options, Handler& handler);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the bound address with the actual port.
  [[nodiscard]] Endpoint local() const;
  [[nodiscard]] ListenerStats stats() const;

  /// Stops accepting connections. Closes idle connections immediately, and the others after their response or after
  /// `grace`. Calls back on the first loop when all are closed. Thread-safe.
  void shut_down(std::chrono::milliseconds grace, std::function<void()> done);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
