#pragma once
// Forwards exchanges to one device over a pool of keep-alive connections, and holds each response until it is committed
// (docs/recording.md, "What is held back"). Independent of the device API.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/io/event_loop.h"
#include "http/io/limits.h"
#include "http/io/tls.h"
#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

class DeviceConnection;

struct RelayOptions {
  BaseUrl device;
  ClientTls tls;
  Limits limits;
  std::chrono::milliseconds hold_time{2'000};    ///< an incomplete response is then passed on live
  std::chrono::milliseconds commit_time{2'000};  ///< the client is served after this time, even without a commit
  std::size_t most_pieces = 10'000;              ///< limit of reported times for a stream
};

/// How a relayed response ended.
enum class Ending {
  whole,            ///< complete and framed correctly
  ended_by_client,  ///< a live response without a known length whose client closed it; complete up to that point
  too_long,         ///< complete, but longer than max_body: there is no body
  cut,              ///< the device's connection ended before the body, or the client's before the request was complete
  bad_framing,      ///< not a message according to RFC 9112
  timed_out,        ///< a deadline expired
  unreachable,      ///< refused, unknown host, reset before a response, TLS failure
  stopped,          ///< shut_down() was called first
};
[[nodiscard]] std::string_view to_string(Ending ending);

/// The result of one forwarded request.
struct Relayed {
  /// The head for the client, and the received bytes of the body without chunk framing. The body is empty for responses
  /// that Tapedeck itself creates (502, 503, 504).
  Response response;
  bool has_head = false;  ///< the device sent a complete head
  Ending ending = Ending::whole;
  std::string detail;  ///< why it is not complete; contains no traffic data
  std::chrono::system_clock::time_point started, first_byte, ended;  ///< first_byte: 0 if there was none
  /// For a live response without a known length: the time when a piece arrived, and the length of the body at that
  /// time.
  struct Piece {
    std::chrono::system_clock::time_point at;
    std::uint64_t end = 0;
  };
  std::vector<Piece> pieces;
  std::uint64_t body_bytes = 0;  ///< length of the body, whether or not it is kept
};

/// Delays the end of a client's response until it is committed. Lets the rest be sent once: when it is released or
/// destroyed, so that a lost receipt does not block a client. Movable between threads; `release` is thread-safe.
class Receipt {
 public:
  Receipt() = default;
  explicit Receipt(std::function<void()> release) : release_(std::move(release)) {}
  ~Receipt() { give(); }
  Receipt(Receipt&& other) noexcept : release_(std::exchange(other.release_, nullptr)) {}
  Receipt& operator=(Receipt&& other) noexcept {
    std::swap(release_, other.release_);
    return *this;
  }
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;

  void give() {
    if (const auto release = std::exchange(release_, nullptr)) release();
  }

 private:
  std::function<void()> release_;
};

/// Makes the decisions of the owner of an exchange. Called on the loop's thread.
class RelayClient {
 public:
  virtual ~RelayClient() = default;
  /// Changes the device's head into the one for the client. Hop-by-hop headers are already removed. Called once, before
  /// anything is sent to the client.
  virtual void rewrite(Response& head) = 0;
  /// Called once per exchange with its result, when the response has ended or could not begin. The end of the response
  /// waits for the receipt for at most commit_time. Returns the body, which stays alive for the client because there is
  /// no other copy. Counts it against --buffer from then on.
  virtual std::shared_ptr<const std::string> ended(Relayed&& relayed, Receipt receipt) = 0;
  /// Called if the client was served because commit_time expired.
  virtual void commit_overdue() = 0;
  /// Called in place of ended() if the device accepts a WebSocket (status 101). The client takes the connection
  /// over and starts the response. `first` are bytes that followed the head. Called only if the request asks for a
  /// WebSocket (asks_for_websocket).
  virtual void taken_over(Response&& /*head*/, std::shared_ptr<DeviceConnection> /*connection*/,
                          std::string /*first*/) {}
};

/// Where requests are sent. Only the relay and a fake of the tests implement it.
class Device {
 public:
  virtual ~Device() = default;
  /// Sends `head` (target relative to the device's origin, headers final except Host and framing) with `body`, which
  /// lives as long as `client`, and with the rest of an open body. Responds to `exchange` with the result, or with 502
  /// or 504 and an explanation. `is_read` allows one retry if an idle connection turns out to be closed. Call it on the
  /// loop's thread.
  virtual void forward(std::shared_ptr<Exchange> exchange, Request head, std::string_view body, bool is_read,
                       std::shared_ptr<RelayClient> client) = 0;
};

class Relay final : public Device {
 public:
  /// Throws std::runtime_error if the TLS options cannot be used.
  Relay(EventLoop& loop, RelayOptions options);
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void forward(std::shared_ptr<Exchange> exchange, Request head, std::string_view body, bool is_read,
               std::shared_ptr<RelayClient> client) override;

  /// Closes the connections to the device. Incomplete responses end as stopped. Their clients get 503 if they have
  /// received no head yet, and later requests get 503 as well. Call it on the loop's thread. Calling it again has no
  /// effect.
  void shut_down();

 private:
  class Releases;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tapedeck::http
