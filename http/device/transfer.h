#pragma once
// One request on its way to the device and its answer on the way back: read strictly, held until it is committed or
// too long or too slow to hold, and told as a whole story (semantics §6).

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/device/device_connection.h"
#include "http/device/relay.h"
#include "http/device/releases.h"
#include "http/io/charged_bytes.h"
#include "http/message/head_scanner.h"
#include "http/message/message_parser.h"

namespace tapedeck::http {

class Transfer;

/// What a transfer needs of its relay.
class TransferHost {
 public:
  virtual ~TransferHost() = default;
  [[nodiscard]] virtual const RelayOptions& options() const = 0;
  [[nodiscard]] virtual std::shared_ptr<Releases> releases() = 0;
  /// A kept connection that looks alive, or nothing.
  [[nodiscard]] virtual std::shared_ptr<DeviceConnection> kept_connection() = 0;
  [[nodiscard]] virtual std::shared_ptr<DeviceConnection> new_connection() = 0;
  virtual void keep(std::shared_ptr<DeviceConnection> connection) = 0;
  virtual void count_retry() = 0;
  virtual void count_buffered(std::size_t before, std::size_t now) = 0;
  /// May this transfer hold more, now that all buffers together are at their limit? One always may.
  [[nodiscard]] virtual bool may_read(const Transfer& transfer) const = 0;
  /// No request is sent to the device any more.
  [[nodiscard]] virtual bool is_closing() const = 0;
  virtual void remove(Transfer& transfer) = 0;
};

class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  using Clock = std::chrono::steady_clock;

  Transfer(TransferHost& host, std::shared_ptr<Exchange> exchange, Request request, bool is_read,
           std::shared_ptr<RelayClient> client);

  void begin();
  /// Its answer is still coming in.
  [[nodiscard]] bool is_receiving() const { return phase_ == Phase::head || phase_ == Phase::body; }
  /// Acts on deadlines that have passed, and reads on when buffers have room again.
  void sweep(Clock::time_point now);
  /// Ends it as stopped, unless its answer is whole already.
  void stop();
  /// The client gets the end of its answer.
  void release();
  /// Lets go of everything without a word: the loop runs no more.
  void drop();

 private:
  enum class Phase { connecting, head, body, committing, over };

  [[nodiscard]] const Limits& limits() const { return host_.options().limits; }
  void prepare_request();
  void attempt(bool fresh);
  void opened(const std::string& failure);
  void send();
  void read_on();
  void took(std::string_view bytes, DeviceConnection::Ended ended);
  void take_bytes(std::string_view bytes);
  bool take_head(std::string_view& bytes);
  void head_is_whole(std::string_view head, bool more_came);
  void take_body(std::string_view bytes);
  void forward_body();
  void connection_ended(bool cleanly);
  bool retries();

  void go_live();
  void send_live(std::string bytes);

  void answer_is_whole(bool more_came);
  void fail(Ending ending, std::string detail, int status);
  void finish(Ending ending, std::string detail);
  void deliver();
  void cut_off();
  void check_device(Clock::time_point now);
  void charge(std::size_t bytes);

  TransferHost& host_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<RelayClient> client_;
  std::shared_ptr<DeviceConnection> connection_;
  bool is_read_;
  bool to_head_;

  Phase phase_ = Phase::connecting;
  Relayed story_;
  Response delivered_;        ///< the head that the client gets
  std::string request_head_;  ///< as sent
  bool sent_ = false;
  bool retried_ = false;
  bool reading_ = false;
  bool paused_ = false;  ///< for want of buffers
  int informational_ = 0;
  bool answered_ = false;  ///< after the story is told: the device sent a whole head
  bool good_ = false;      ///< idem: the answer was not broken

  HeadScanner scanner_{HeadScanner::Kind::answer};
  AnswerParser parser_;
  std::string in_;        ///< read and not yet used: part of a head or of chunk framing
  std::size_t seen_ = 0;  ///< bytes of story_.received.body that were looked at
  bool keeps_body_ = true;
  bool live_ = false;
  std::string tail_;       ///< the last bytes of a live answer, which wait for the commit
  std::string held_body_;  ///< the client's copy of a held answer
  BufferCharge charge_;

  Clock::time_point began_, request_sent_, last_read_, first_byte_, commit_by_;
};

}  // namespace tapedeck::http
