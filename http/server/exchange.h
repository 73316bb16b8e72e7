#pragma once
// One request that waits for its answer: what a Listener hands to a Handler.

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::http {

/// An answer of which everything is ready: the head as bytes and the body as pieces, sent in one buffer sequence with
/// no copy. `head` is the status line and the header lines, each ended by CRLF, with Content-Length and without
/// Connection; the listener adds Connection where needed and the empty line. `owner` keeps head and pieces alive.
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

/// The same as one message.
[[nodiscard]] Response as_response(const PreparedReply& reply);

/// Ways to fail a client, for those who test theirs.
enum class Mishap {
  reset,    ///< the connection is reset (RST) and nothing is sent
  close,    ///< the connection ends and nothing is sent
  garbage,  ///< bytes that are no HTTP, then the connection ends
  hang,     ///< nothing is sent until the client ends its side
};

/// Thread rule: request() and the answering calls are for the connection's loop thread (Handler::handle runs on it);
/// `post` brings other threads there. Exactly one of respond(), start()…finish(), abort(), fail() ends an exchange; an
/// exchange that is dropped without one closes its connection.
class Exchange {
 public:
  virtual ~Exchange() = default;

  [[nodiscard]] virtual const Request& request() const = 0;
  /// Moves the request out of the exchange, for a handler that keeps it; request() is then empty.
  [[nodiscard]] virtual Request take_request() = 0;
  /// The address and port that the client has connected to.
  [[nodiscard]] virtual Endpoint local() const { return {}; }
  /// Is there more of the body than request() holds? Only where the listener streams long bodies.
  [[nodiscard]] virtual bool body_is_open() const { return false; }
  /// Asks for more of an open body, once: `took` gets some bytes and whether they are the last, or nothing when the
  /// client has gone.
  virtual void read_body(std::function<void(std::string bytes, bool last)> took) { took({}, true); }

  /// Sends a whole answer. Content-Length is set by the listener (kept from `response` for HEAD), Connection too.
  virtual void respond(Response response) = 0;
  virtual void respond(const PreparedReply& reply) = 0;
  /// The same with a body that somebody else keeps; `head.body` is not looked at.
  virtual void respond(Response head, SharedBytes body) = 0;

  /// Sends an answer piece by piece. With a Content-Length in `head` the body goes out as it is, otherwise chunked to
  /// an HTTP/1.1 client and ended by the connection's close to an HTTP/1.0 one.
  virtual void start(Response head_without_body) = 0;
  virtual void write(std::string bytes) = 0;
  virtual void write(SharedBytes bytes) = 0;
  virtual void finish() = 0;
  /// Bytes written but not yet taken by the client's socket; the writer should wait while it is large.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
  /// The client says nothing more: it has gone, or has ended its side and waits for the answer.
  [[nodiscard]] virtual bool input_ended() const { return false; }
  /// Calls back, on the loop thread, each time unsent() has come down to zero, and when the client ends its side or
  /// goes.
  virtual void on_drained(std::function<void()> callback) = 0;

  /// So many bytes will be answered or are kept for the answer: who is let in next may need as much. For an answer that
  /// comes later or in pieces; of others the listener sees it.
  virtual void expect(std::size_t /*bytes*/) {}

  /// Ends the connection at once, with whatever has been sent of the answer.
  virtual void abort() = 0;
  /// Ends it in one of these ways, a hanging one after `longest` at the latest.
  virtual void fail(Mishap how, std::chrono::microseconds longest) = 0;
  /// Runs `task` on the connection's loop thread after `delay`. When the connection goes before, or the server shuts
  /// down, which ends the connection at once, it never runs. One task at a time; not for an exchange that has ended.
  virtual void after(std::chrono::microseconds delay, std::function<void()> task) = 0;
  /// True once the client has gone; answering calls then do nothing.
  [[nodiscard]] virtual bool gone() const = 0;
  /// Runs `task` on the connection's loop thread. Callable from any thread.
  virtual void post(std::function<void()> task) = 0;
};

/// What answers requests. handle() is called on the connection's loop thread and must not block; it answers before it
/// returns, or keeps the pointer and answers later. Pipelined requests of one connection come one after another.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(std::shared_ptr<Exchange> exchange) = 0;
};

}  // namespace tapedeck::http
