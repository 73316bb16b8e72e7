#pragma once
// The client side of the data plane: one device behind a pool of keep-alive connections, and the relay that passes an
// exchange through to it and holds each answer until it is committed (semantics §6). Knows nothing of the device API.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/device/receipt.h"
#include "http/io/buffer_charge.h"
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
  std::size_t most_pieces = 10'000;              ///< of a stream, whose times are told
};

/// How a relayed answer ended.
enum class Ending {
  whole,            ///< all of it arrived, well framed
  ended_by_client,  ///< a live answer without a known length whose client went: whole as far as it came
  too_long,         ///< well framed, but longer than max_body: no body is told
  cut,              ///< the connection ended before the body did, or the client's before its request was whole
  bad_framing,      ///< not a message by RFC 9112
  timed_out,        ///< a deadline passed
  unreachable,      ///< refused, no such host, reset before any answer, TLS failure
  stopped,          ///< shut_down() came before its end
};
[[nodiscard]] std::string_view to_string(Ending ending);

/// What happened to one request that was passed on.
struct Relayed {
  /// The head that the client gets or will get, and the body's bytes without chunk framing as far as they came; of an
  /// answer of our own (502, 503, 504) there is no body here.
  Response answer;
  bool answered = false;  ///< the device sent a whole head
  Ending ending = Ending::whole;
  std::string detail;  ///< why it is not whole, in words; holds nothing that the device or the client sent
  std::chrono::system_clock::time_point started, first_byte, ended;  ///< first_byte: 0 if there was none
  /// Of a live answer without a known length: when a piece came, and how long the body then was.
  struct Piece {
    std::chrono::system_clock::time_point at;
    std::uint64_t end = 0;
  };
  std::vector<Piece> pieces;
  std::uint64_t body_bytes = 0;  ///< how long the body was, kept or not
  BufferCharge charge;           ///< for the body, twice: the second for what becomes of it before it is stored
};

/// What the owner of an exchange decides. Called on the loop's thread.
class RelayClient {
 public:
  virtual ~RelayClient() = default;
  /// Changes the device's head into the one that the client gets (hop-by-hop lines are already gone). Called once,
  /// before anything is sent to the client.
  virtual void rewrite(Response& head) = 0;
  /// The whole story, once per exchange, when the answer ended (or could not begin). The end of the answer waits for
  /// the receipt, at most commit_time. Returns the story's body, kept alive for the client: there is no other copy.
  virtual std::shared_ptr<const std::string> ended(Relayed&& relayed, Receipt receipt) = 0;
  /// The answer was released because commit_time passed: the client is served, the run is "not recorded".
  virtual void commit_overdue() = 0;
};

class Relay {
 public:
  /// Throws std::runtime_error when the TLS options cannot be used (a CA file that is not there).
  Relay(EventLoop& loop, RelayOptions options);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// Sends `head` (whose target is relative to the device's origin and whose headers are final, Host and framing
  /// aside) with `body`, which lives as long as `client`, and with what the exchange's open body still brings. Answers
  /// `exchange` with what comes back, or with 502 or 504 and a clear body. `is_read` allows one retry on a stale
  /// connection, if nothing was answered. Call on the loop's thread.
  void forward(std::shared_ptr<Exchange> exchange, Request head, std::string_view body, bool is_read,
               std::shared_ptr<RelayClient> client);

  /// Closes the connections to the device. An answer that is not whole ends as stopped, and its client gets 503 if it
  /// has no head yet; so do requests that come later. Call on the loop's thread; again does nothing.
  void shut_down();

 private:
  class Releases;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
