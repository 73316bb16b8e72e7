#pragma once
// The client side of the data plane: one device behind a pool of keep-alive connections, and the relay that passes an
// exchange through to it and holds each answer until it is committed (semantics §6). Knows nothing of the device API.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "http/io/event_loop.h"
#include "http/io/limits.h"
#include "http/io/tls.h"
#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

struct RelayOptions {
  BaseUrl device;
  ClientTls tls;
  Limits limits;
  std::chrono::milliseconds hold_time{2'000};    ///< an answer not whole by then after its first byte is passed on live
  std::chrono::milliseconds commit_time{2'000};  ///< the client is served by then, committed or not
};

/// How a relayed answer ended.
enum class Ending {
  whole,        ///< all of it arrived, well framed
  too_long,     ///< well framed, but longer than max_body: `body` is empty
  cut,          ///< the connection ended before the body did
  bad_framing,  ///< not a message by RFC 9112
  timed_out,    ///< a deadline passed
  unreachable,  ///< refused, no such host, reset before any answer, TLS failure
  stopped,      ///< shut_down() came before its end
};
[[nodiscard]] std::string_view to_string(Ending ending);

/// What happened to one request that was passed on.
struct Relayed {
  Request sent;           ///< what went to the device, body included
  Response received;      ///< the device's head and its body's bytes without chunk framing, as far as it came
  bool answered = false;  ///< the device sent a whole head
  Ending ending = Ending::whole;
  std::string detail;    ///< why it is not whole, in words; holds nothing that the device or the client sent
  std::string trailers;  ///< as header text, when the answer had any
  std::chrono::system_clock::time_point started, first_byte, ended;
  std::size_t body_bytes = 0;  ///< how long the body was, kept or not
};

/// What the owner of an exchange decides. Called on the loop's thread.
class RelayClient {
 public:
  virtual ~RelayClient() = default;
  /// Changes the device's head into the one that the client gets (hop-by-hop lines are already gone). Called once,
  /// before anything is sent to the client.
  virtual void rewrite(Response& head) = 0;
  /// The whole story, once per exchange, when the answer ended (or could not begin). `delivered` is what the client
  /// got or will get as head. `committed` must be called once, from any thread: the end of the answer waits for it, at
  /// most commit_time. Returning without keeping `committed` releases the answer.
  virtual void ended(Relayed&& relayed, const Response& delivered_head, std::function<void()> committed) = 0;
  /// The answer was released because commit_time passed: the client is served, the run is "not recorded".
  virtual void commit_overdue() = 0;
};

struct RelayStats {
  std::uint64_t connections = 0;  ///< opened to the device
  std::uint64_t reused = 0;
  std::uint64_t retried = 0;  ///< on a stale keep-alive connection, reads only
  std::size_t buffered = 0;   ///< bytes held now
};

class Relay {
 public:
  /// Throws std::runtime_error when the TLS options cannot be used (a CA file that is not there).
  Relay(EventLoop& loop, RelayOptions options);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// Sends `request` (whose target is relative to the device's origin and whose headers are final, Host and framing
  /// aside) and answers `exchange` with what comes back, or with 502 or 504 and a clear body. `is_read` allows one
  /// retry on a stale connection, if nothing was answered. Call on the loop's thread.
  void forward(std::shared_ptr<Exchange> exchange, Request request, bool is_read, std::shared_ptr<RelayClient> client);

  [[nodiscard]] RelayStats stats() const;
  /// Closes the connections to the device. An answer that is not whole ends as stopped, and its client gets 503 if it
  /// has no head yet; so do requests that come later. Call on the loop's thread; again does nothing.
  void shut_down();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
