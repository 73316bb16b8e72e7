#pragma once
// Handles the device's side of one exchange: sends the request, reads the response strictly, and reports the result.
// HeldResponse handles the client's side.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "http/device/device_connection.h"
#include "http/device/held_response.h"
#include "http/device/relay.h"
#include "http/device/upload.h"
#include "http/io/buffer_charge.h"
#include "http/message/body_reader.h"
#include "http/message/head_scanner.h"

namespace tapedeck::http {

class Transfer;

/// The functions that a transfer uses from its relay.
class TransferHost {
 public:
  virtual ~TransferHost() = default;
  [[nodiscard]] virtual const RelayOptions& options() const = 0;
  /// Returns a receipt that releases the transfer on its loop.
  [[nodiscard]] virtual Receipt receipt_for(std::weak_ptr<Transfer> transfer) = 0;
  /// Returns an idle connection that looks usable, or null.
  [[nodiscard]] virtual std::shared_ptr<DeviceConnection> kept_connection() = 0;
  [[nodiscard]] virtual std::shared_ptr<DeviceConnection> new_connection() = 0;
  virtual void keep(std::shared_ptr<DeviceConnection> connection) = 0;
  /// Returns true if the buffers have room for more of this response.
  [[nodiscard]] virtual bool may_read(const Transfer& transfer) const = 0;
  /// Returns true if no more requests are sent to the device.
  [[nodiscard]] virtual bool is_closing() const = 0;
  virtual void remove(Transfer& transfer) = 0;
};

class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  using Clock = std::chrono::steady_clock;

  Transfer(TransferHost& host, std::shared_ptr<Exchange> exchange, Request head, std::string_view body, bool is_read,
           std::shared_ptr<RelayClient> client);

  void begin();
  /// Returns true while the response is being received and its client accepts it.
  [[nodiscard]] bool wants_more() const { return (phase_ == Phase::head || in_body()) && response_.wants_more(); }
  /// Returns the size of the buffers that are freed when the response is complete.
  [[nodiscard]] std::size_t held() const { return phase_ == Phase::ended ? 0 : upload_->held() + charge_.held(); }
  /// Handles expired deadlines, and continues to read when the buffers have room again.
  void sweep(Clock::time_point now);
  /// Ends it as stopped, unless the response is complete.
  void stop();
  /// Sends the client the end of the response.
  void release();
  /// Drops everything silently, because the loop has stopped.
  void drop();

 private:
  enum class Phase { connecting, head, body, ended };

  [[nodiscard]] const Limits& limits() const { return host_.options().limits; }
  [[nodiscard]] bool in_body() const { return phase_ == Phase::body; }
  // Sending the request
  void attempt(bool fresh);
  void send();
  bool retries();
  // Receiving the response
  void read_on();
  void on_received(std::string_view bytes, DeviceConnection::Ended ended);
  void take_bytes(std::string_view bytes);
  bool take_head(std::string_view& bytes);
  void head_is_whole(bool more_came);
  void take_body(std::string_view bytes);
  void pass_body_on();
  void note_piece();
  void go_live();
  void update_charge();
  void client_moved();
  bool client_ended_it();
  void connection_ended(bool cleanly);
  // Timeouts and ending
  void check_device(Clock::time_point now);
  void response_is_complete(bool more_came);
  void fail(Ending ending, std::string detail, int status);
  void finish(Ending ending, std::string detail);

  TransferHost& host_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<RelayClient> client_;
  std::shared_ptr<DeviceConnection> connection_;
  bool is_read_;
  bool to_head_;
  std::shared_ptr<Upload> upload_;
  HeldResponse response_;
  Phase phase_ = Phase::connecting;
  Relayed result_;

  bool retried_ = false;

  HeadScanner scanner_{HeadScanner::Kind::response};
  BodyReader reader_;
  BufferCharge charge_;  ///< for `in_` and `response_`
  Response received_;    ///< filled by the reader: the head once, the body piece by piece
  std::string in_;       ///< bytes that were read but not used yet: part of a head or of chunk framing
  int informational_ = 0;
  bool heard_ = false;  ///< true if a byte was received
  bool reading_ = false;
  bool taking_ = false;     ///< on_received() is running
  bool paused_ = false;     ///< true while the buffers are full
  bool is_stream_ = false;  ///< true for an event stream, which is passed on immediately and has a longer timeout
  /// True if the length is known, so that a disconnecting client leaves the response incomplete.
  bool has_length_ = false;
  std::optional<Relayed::Piece> first_piece_;

  Clock::time_point began_, progress_, first_byte_, commit_by_;
};

}  // namespace tapedeck::http
