#pragma once
// A connection to the device, plain or TLS, without Asio in the header. Call it on its loop's thread.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/io/event_loop.h"
#include "http/io/tls_context.h"
#include "http/message/url.h"

namespace tapedeck::http {

class DeviceConnection {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Ended { no, cleanly, badly };  ///< cleanly: with FIN, or with TLS after close_notify

  /// `tls` is null for a plain connection.
  [[nodiscard]] static std::shared_ptr<DeviceConnection> make(EventLoop& loop, std::shared_ptr<TlsContext> tls);
  virtual ~DeviceConnection() = default;

  using Opened = std::function<void(std::optional<std::string> failure)>;
  /// Resolves, connects, completes the handshake, and checks the certificate. Calls back with the reason of a failure,
  /// or with nothing.
  virtual void open(const BaseUrl& device, Opened done) = 0;
  /// Sends the pieces, which must live until the callback.
  virtual void send(std::vector<std::string_view> pieces, std::function<void(bool sent)> done) = 0;
  /// Reads once. The bytes are valid during the callback.
  virtual void read(std::function<void(std::string_view bytes, Ended ended)> done) = 0;
  /// Cancels pending operations, whose callbacks may still run.
  virtual void close() = 0;
  /// Returns true if the device has closed an idle connection or sent something unexpected on it.
  [[nodiscard]] virtual bool is_stale() = 0;

  /// Returns the number of sent bytes that the device has not acknowledged yet, if the system reports it.
  [[nodiscard]] virtual std::size_t untaken() = 0;
  /// Returns when a byte was last sent.
  [[nodiscard]] Clock::time_point last_sent() const { return last_sent_; }
  bool reused = false;           ///< true if it has carried a request before
  Clock::time_point idle_since;  ///< time when it entered the pool

 protected:
  Clock::time_point last_sent_ = Clock::now();
};

}  // namespace tapedeck::http
