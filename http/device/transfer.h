#pragma once
// Carries one exchange to the device and back: sends the request, reads the response strictly, sends it to the client,
// and reports the result (docs/recording.md, "What is held back").

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/device/device_connection.h"
#include "http/device/relay.h"
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

/// Call it on its loop's thread. It owns the body of the response until that is complete; then the recorder owns it and
/// shares it, so there is never a second copy.
class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  using Clock = DeviceConnection::Clock;

  /// Headers are final except framing, Host, and hop-by-hop headers. `body` lives as long as `client`.
  Transfer(TransferHost& host, std::shared_ptr<Exchange> exchange, Request head, std::string_view body, bool is_read,
           std::shared_ptr<RelayClient> client);

  void begin();
  /// Returns true while the response is being received and its client accepts it.
  [[nodiscard]] bool wants_more() const;
  /// Returns the size of the buffers that are freed when the response is complete.
  [[nodiscard]] std::size_t held() const { return is_over() ? 0 : 2 * body_sent_.size() + charge_.held(); }
  /// Handles expired deadlines, and continues to read when the buffers have room again.
  void sweep(Clock::time_point now);
  /// Ends it as stopped, unless the response is complete.
  void stop();
  /// Sends the client the end of the response.
  void release();
  /// Drops everything silently, because the loop has stopped.
  void drop();

 private:
  // The states in their order, of which some responses skip Live. A failure leads from each of the first five to
  // Storing.
  struct Connecting {
    Clock::time_point since;
  };
  /// The device has the connection and has sent nothing, except for informational responses.
  struct Sending {};
  struct Head {
    Clock::time_point first_byte;
  };
  /// The body is being received, and the client has received nothing.
  struct Held {
    Clock::time_point first_byte;
  };
  /// The body is passed on while it is being received.
  struct Live {
    std::uint64_t sent = 0;  ///< bytes of the body
  };
  /// The response is complete, or will not be. The client gets the rest of it after the commit.
  struct Storing {
    enum class Rest { all, head_and_body, body };  ///< `all` is sent as one message
    Clock::time_point until;                       ///< the client is served then, even without a commit
    Rest rest = Rest::body;
    SharedBytes body{};    ///< bytes that the client has not received
    bool is_good = false;  ///< otherwise, the client's connection is closed after these bytes
  };
  struct Over {};

  /// How the request's body is sent: from memory, or while it arrives from the client. A `takeover` has none, and asks
  /// for a WebSocket.
  enum class Upload { whole, takeover, streamed, streamed_in_chunks };
  [[nodiscard]] static Upload upload_of(const Request& head, bool body_is_open);
  /// What is being sent of the request. The client has yet to send more in `awaits_client`.
  enum class Progress { piece, awaits_client, last_piece, all_is_sent };
  /// `uses`: received bytes are being processed, during which the client's side may call client_moved().
  enum class Reading { no, waits, uses };

  template <class State>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<State>(state_);
  }
  [[nodiscard]] bool is_over() const { return is<Storing>() || is<Over>(); }
  /// Returns true if the device has the request or a part of it, and the response is not complete.
  [[nodiscard]] bool is_receiving() const { return !is<Connecting>() && !is_over(); }
  [[nodiscard]] bool in_body() const { return is<Held>() || is<Live>(); }
  [[nodiscard]] const Limits& limits() const { return host_.options().limits; }

  // Sending the request
  [[nodiscard]] static std::string outgoing_head(Request request, std::size_t body_bytes, Upload upload,
                                                 const BaseUrl& device);
  void attempt(bool fresh);
  void send_request();
  void send(std::vector<std::string_view> pieces);
  void on_sent(bool fine);
  void send_more(std::string bytes, bool last);
  [[nodiscard]] bool device_has_request(Clock::time_point now);
  bool retries();
  // Receiving the response
  void read_on();
  void on_received(std::string_view bytes, DeviceConnection::Ended ended);
  void take_bytes(std::string_view bytes);
  bool take_head(std::string_view& bytes);
  /// Gives the connection to the client of the relay.
  void take_over(std::string first);
  void head_is_whole(bool more_came);
  void take_body(std::string_view bytes);
  void connection_ended(bool cleanly);
  void check_device(Clock::time_point now);
  void response_is_complete(bool more_came);
  void fail(Ending ending, std::string detail, int status);
  void finish(Ending ending, std::string detail);
  // Sending the response to the client (transfer_reply.cpp)
  void begin_reply();
  void keep_and_pass_on(std::string bytes);
  void note_piece();
  void go_live();
  void pass_on();
  void client_moved();
  bool client_ended_it();
  [[nodiscard]] bool client_accepts_more() const;
  void store();
  void send_rest(Storing storing);
  void update_charge();
  [[nodiscard]] std::uint64_t body_bytes() const { return dropped_ + body_.size(); }
  /// Returns false for a body longer than Limits::max_body, which is freed as it is sent.
  [[nodiscard]] bool keeps_body() const { return body_bytes() <= limits().max_body; }

  TransferHost& host_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<RelayClient> client_;
  std::shared_ptr<DeviceConnection> connection_;
  std::variant<Connecting, Sending, Head, Held, Live, Storing, Over> state_;
  Relayed result_;

  // The request
  const bool to_head_;  ///< a HEAD request
  const Upload upload_;
  bool may_repeat_;  ///< it may be sent again on another connection
  std::string head_sent_;
  std::string_view body_sent_;  ///< the body, or its beginning
  std::string piece_;           ///< a later piece that is being sent
  Progress progress_ = Progress::last_piece;
  std::size_t untaken_ = 0;  ///< bytes that the device had not acknowledged at the last check

  // The response
  HeadScanner scanner_{HeadScanner::Kind::response};
  BodyReader reader_;
  Reading reading_ = Reading::no;
  int informational_ = 0;       ///< number of informational responses
  std::string in_;              ///< bytes that were read but not used yet: part of a head or of chunk framing
  std::string arrived_;         ///< filled by the reader
  Response head_;               ///< for the client
  std::size_t head_bytes_ = 0;  ///< its size in memory
  bool is_stream_ = false;      ///< true for an event stream, which is passed on immediately and has a longer timeout
  /// If it is known, the last byte of a live body waits for the commit, and a client that disconnects does not end it.
  std::optional<std::uint64_t> length_;
  std::string body_;           ///< the bytes that are kept or not yet sent to the client
  std::uint64_t dropped_ = 0;  ///< the number of bytes before them
  std::optional<Relayed::Piece> first_piece_;
  BufferCharge charge_;      ///< for `in_`, `head_`, and `body_`
  Clock::time_point moved_;  ///< time of the last progress on either side of the device's connection
};

}  // namespace tapedeck::http
