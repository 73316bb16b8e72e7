#pragma once
// A request on its way to the device: its head, what was there of its body, and what an open body still brings.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/device/device_connection.h"
#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// For its loop's thread alone.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  using Clock = DeviceConnection::Clock;

  /// Headers are final but for framing, Host and the lines of one connection. `body` outlives the upload.
  Upload(Request head, std::string_view body, std::shared_ptr<Exchange> exchange, const BaseUrl& device);

  /// Sends it, from the beginning. `client_went` is called when the client goes before its request is whole.
  void begin(std::shared_ptr<DeviceConnection> connection, std::function<void()> client_went);
  /// Nothing more is sent.
  void end() { connection_ = nullptr; }

  /// Part of it comes from the client while it goes out: it cannot be sent twice.
  [[nodiscard]] bool is_streamed() const { return is_streamed_; }
  [[nodiscard]] std::size_t held() const { return 2 * body_.size(); }
  /// All of it went out.
  [[nodiscard]] bool is_sent() const { return is_sent_; }
  /// The device has taken all of it, as far as the system tells. What the kernel holds of it the device has not.
  [[nodiscard]] bool is_taken(Clock::time_point now);
  /// When it last moved; while the client is waited for, it does.
  [[nodiscard]] Clock::time_point progress() const { return progress_; }

 private:
  void send(std::vector<std::string_view> pieces);
  void went(bool fine);
  void take(std::string bytes, bool last);

  std::shared_ptr<Exchange> exchange_;
  std::string head_;  ///< as sent
  std::string_view body_;
  bool is_streamed_;
  bool in_chunks_ = false;  ///< because nobody knows its length
  std::shared_ptr<DeviceConnection> connection_;
  std::function<void()> client_went_;
  std::string piece_;  ///< that is being sent
  bool has_last_ = false;
  bool awaits_client_ = false;
  bool is_sent_ = false;
  std::size_t untaken_ = 0;  ///< bytes that the device had not taken at the last look
  Clock::time_point progress_;
};

}  // namespace tapedeck::http
