#pragma once
// One connection to the device, plain or TLS; Asio stays in the .cpp. For its loop's thread alone.

#include <chrono>
#include <functional>
#include <memory>
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
  enum class Ended { no, cleanly, badly };  ///< cleanly: FIN, under TLS after close_notify

  /// `tls` is null for a plain connection.
  [[nodiscard]] static std::shared_ptr<DeviceConnection> make(EventLoop& loop, std::shared_ptr<TlsContext> tls);
  virtual ~DeviceConnection() = default;

  /// Resolves, connects, shakes hands and judges the certificate. Calls back with "" or why not, in words.
  virtual void open(const BaseUrl& device, std::function<void(std::string failure)> done) = 0;
  /// Sends the pieces, which the caller keeps alive until it is called back.
  virtual void send(std::vector<std::string_view> pieces, std::function<void(bool sent)> done) = 0;
  /// Reads once. The bytes are gone when the callback returns.
  virtual void read(std::function<void(std::string_view bytes, Ended ended)> done) = 0;
  /// Cancels what is under way; its callback may still come.
  virtual void close() = 0;
  /// An idle connection that the device has closed, or on which it said something unasked.
  [[nodiscard]] virtual bool is_stale() = 0;

  /// Bytes that were sent and that the device has not acknowledged yet, as far as the system tells.
  [[nodiscard]] virtual std::size_t untaken() = 0;
  /// When a byte last went out.
  [[nodiscard]] Clock::time_point last_sent() const { return last_sent_; }
  bool reused = false;           ///< has carried a request before
  Clock::time_point idle_since;  ///< in the pool

 protected:
  Clock::time_point last_sent_ = Clock::now();
};

}  // namespace tapedeck::http
