#pragma once
// The server side of the data plane: strictly parsed requests in, answers out (RFC 9112).

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
  bool streams_bodies = false;  ///< a body over the limit is no 413: it comes piece by piece (Exchange::read_body)
  Headers added{};              ///< lines that each request gets in place of its own of these names
  /// Called for each request that is refused before the handler sees it, from any loop thread.
  std::function<void(std::string_view why)> on_refused = {};
};

/// Counters since the start.
struct ListenerStats {
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< answered with a 4xx or 5xx of the listener's own
};

/// Accepts on one endpoint and spreads its connections over the loops; accepting itself runs on the first. A request
/// that is not exactly one message by RFC 9112, or over a limit, gets one clear 4xx or 503 with Connection: close and
/// never reaches the handler. The handler and the loops must outlive the listener.
class Listener {
 public:
  /// Binds and listens, but accepts only once the loops run. Throws std::runtime_error with one clear line.
  Listener(std::span<const std::unique_ptr<EventLoop>> loops, ListenerOptions options, Handler& handler);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// The address it is bound to, with the real port.
  [[nodiscard]] Endpoint local() const;
  [[nodiscard]] ListenerStats stats() const;

  /// Accepts no more, closes idle connections at once and the others when their answer is out, or after `grace`.
  /// Calls back on the first loop when all are closed. Callable from any thread.
  void shut_down(std::chrono::milliseconds grace, std::function<void()> done);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
