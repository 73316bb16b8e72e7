#pragma once
// One request that waits for its response, as a Listener passes it to a Handler.

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::http {

/// A prepared response: the head as bytes and the body as pieces, sent without a copy. `head` is the status line and
/// the headers, each ended by CRLF, with Content-Length and without Connection. The listener adds Connection if needed,
/// and the empty line. `owner` keeps head and pieces alive.
struct PreparedReply {
  std::string_view head;
  std::span<const std::string_view> pieces;
  std::shared_ptr<const void> owner;
};

/// Bytes that live as long as `owner` does.
struct SharedBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

/// Returns the same response as one message.
[[nodiscard]] Response as_response(const PreparedReply& reply);
/// Returns the response with another head.
[[nodiscard]] PreparedReply with_head(const PreparedReply& reply, std::string head);

/// Ways to fail a client on purpose.
enum class ConnectionFault {
  reset,    ///< the connection is reset (RST) and nothing is sent
  close,    ///< the connection is closed and nothing is sent
  garbage,  ///< bytes that are not HTTP, then the connection is closed
  hang,     ///< nothing is sent until the client closes its side
};

/// Call request() and the functions that respond on the connection's loop thread, on which Handler::handle runs. On
/// other threads, use `post`. Exactly one of respond(), start()…finish(), abort(), and fail() ends an exchange.
/// Dropping an exchange without one of them closes its connection.
class Exchange {
 public:
  virtual ~Exchange() = default;

  [[nodiscard]] virtual const Request& request() const = 0;
  /// Moves the request out of the exchange, for a handler that keeps it; request() is then empty.
  [[nodiscard]] virtual Request take_request() = 0;
  /// Returns the address and port to which the client has connected.
  [[nodiscard]] virtual Endpoint local() const { return {}; }
  /// Returns true if the body has more bytes than request(), which happens only if the listener streams long bodies.
  [[nodiscard]] virtual bool body_is_open() const { return false; }
  /// Requests more of an open body, once. `took` receives bytes and whether they are the last ones, or nothing if the
  /// client has disconnected.
  virtual void read_body(std::function<void(std::string bytes, bool last)> took) { took({}, true); }

  /// Lets pages of this origin read the response: it gets CORS headers in place of those that the handler sets.
  virtual void allow_page(std::string origin) = 0;

  /// Sends a complete response. The listener sets Content-Length (kept from `response` for HEAD) and Connection.
  virtual void respond(Response response) = 0;
  virtual void respond(const PreparedReply& reply) = 0;
  /// Does the same with a body that has another owner. `head.body` is ignored.
  virtual void respond(Response head, SharedBytes body) = 0;

  /// Sends a response piece by piece. After a head with status 101, the connection belongs to the other protocol:
  /// write() sends its bytes, and read_body() returns those of the client until the connection ends. With a
  /// Content-Length in `head`, the body is sent unchanged. Otherwise it is sent in chunks to an HTTP/1.1 client, and
  /// until the end of the connection to an HTTP/1.0 client.
  virtual void start(Response head_without_body) = 0;
  virtual void write(std::string bytes) = 0;
  virtual void write(SharedBytes bytes) = 0;
  virtual void finish() = 0;
  /// Returns the number of bytes that were written but not yet accepted by the client's socket. The writer should wait
  /// if there are many.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
  /// Returns true if the client has closed its side. It has either disconnected or waits for the response.
  [[nodiscard]] virtual bool input_ended() const { return false; }
  /// Calls back, on the loop thread, each time unsent() becomes zero, and when the client closes its side or
  /// disconnects.
  virtual void on_drained(std::function<void()> callback) = 0;

  /// Announces the size of a response that comes later or in pieces, so that memory is reserved for the next one.
  virtual void expect(std::size_t /*bytes*/) {}

  /// Closes the connection immediately, even within a response.
  virtual void abort() = 0;
  /// Fails in this way. `hang` ends after `longest` at the latest.
  virtual void fail(ConnectionFault how, std::chrono::microseconds longest) = 0;
  /// Runs `task` on the connection's loop thread after `delay`, or never if the connection closes first. Supports one
  /// task at a time. Do not call it for an ended exchange.
  virtual void after(std::chrono::microseconds delay, std::function<void()> task) = 0;
  /// Returns true once the client has disconnected. The functions that respond then have no effect.
  [[nodiscard]] virtual bool gone() const = 0;
  /// Runs `task` on the connection's loop thread. Thread-safe.
  virtual void post(std::function<void()> task) = 0;
};

/// Responds to requests. handle() is called on the connection's loop thread and must not block. It either responds
/// before it returns, or keeps the pointer and responds later. Pipelined requests of a connection are handled one after
/// another.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(std::shared_ptr<Exchange> exchange) = 0;
};

}  // namespace tapedeck::http
