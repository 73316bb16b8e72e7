#pragma once
// Sends a request to the device: its head, the available part of its body, and the rest of an open body.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/device/device_connection.h"
#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Call it on its loop's thread.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  using Clock = DeviceConnection::Clock;

  /// Headers are final except framing, Host, and hop-by-hop headers. `body` outlives the upload.
  Upload(Request head, std::string_view body, std::shared_ptr<Exchange> exchange, const BaseUrl& device);

  /// Sends the request from the beginning. Calls `client_went` if the client disconnects before its request is
  /// complete.
  void begin(std::shared_ptr<DeviceConnection> connection, std::function<void()> client_went);
  /// Stops sending.
  void end() { connection_ = nullptr; }

  /// Returns true if a part of the request is still arriving from the client, so that the request cannot be sent twice.
  [[nodiscard]] bool is_streamed() const { return is_streamed_; }
  [[nodiscard]] std::size_t held() const { return 2 * body_.size(); }
  /// Returns true if the whole request was sent.
  [[nodiscard]] bool is_sent() const { return is_sent_; }
  /// Returns true if the device has acknowledged the whole request, if the system reports it.
  [[nodiscard]] bool is_taken(Clock::time_point now);
  /// Returns the time of the last progress. Waiting for the client counts as progress.
  [[nodiscard]] Clock::time_point progress() const { return progress_; }

 private:
  void send(std::vector<std::string_view> pieces);
  void on_sent(bool fine);
  void take(std::string bytes, bool last);

  std::shared_ptr<Exchange> exchange_;
  std::string head_;  ///< the head as it is sent
  std::string_view body_;
  bool is_streamed_;
  bool in_chunks_ = false;  ///< sent in chunks, because the length is unknown
  std::shared_ptr<DeviceConnection> connection_;
  std::function<void()> client_went_;
  std::string piece_;  ///< piece that is being sent
  bool has_last_ = false;
  bool awaits_client_ = false;
  bool is_sent_ = false;
  std::size_t untaken_ = 0;  ///< bytes that the device had not acknowledged at the last check
  Clock::time_point progress_;
};

}  // namespace tapedeck::http
