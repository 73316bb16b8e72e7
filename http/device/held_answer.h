#pragma once
// The client's half of a relayed response (docs/recording.md, "What is held back"): held until it is complete and
// committed, or passed on live up to the end of its framing, which waits for the commit. Transfer is the device's half.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "http/io/buffer_charge.h"
#include "http/message/message.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// held → (live) → committing → over. For its loop's thread. Owns the body while it is received; with the commit, the
/// recorder owns it and hands back a view, so there is never a second copy.
class HeldAnswer {
 public:
  /// A body longer than `max_body` is not kept: what the client has received is dropped.
  HeldAnswer(std::shared_ptr<Exchange> exchange, std::size_t max_body, bool to_head);

  /// Sets the head for the client. `length` is that of the body, if the head contains it.
  void begin(Response head, std::optional<std::uint64_t> length);
  /// Adds to the body.
  void add(std::string bytes);
  /// Starts to pass on. Calls `drained` when the client has taken everything, and when it is gone.
  void go_live(const std::function<void()>& drained);
  /// Gives the client of a live response what it can take.
  void pass_on();
  /// Returns true during pass_on(): the client may drain or go before that returns.
  [[nodiscard]] bool is_passing() const { return passing_; }

  [[nodiscard]] bool is_live() const { return std::holds_alternative<Live>(state_); }
  [[nodiscard]] bool keeps_body() const { return keeps_body_; }
  [[nodiscard]] bool client_is_gone() const { return exchange_->gone(); }
  /// Returns false while the client of a live response has enough to take, so that the device waits.
  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] const Response& head() const { return head_; }
  /// Returns the size of its buffers.
  [[nodiscard]] std::size_t held() const { return charge_.held(); }
  [[nodiscard]] std::uint64_t body_bytes() const { return dropped_ + body_.size(); }

  /// Replaces the device's response with our own.
  void replace(Response answer);
  /// Ends the body and returns what was kept of it, with its charge.
  [[nodiscard]] std::string end(BufferCharge& charge);
  /// Waits for release(). `body` is the result of end(). `good`: the client may see a complete response.
  void commit(std::shared_ptr<const std::string> body, bool good);
  [[nodiscard]] bool is_committing() const { return std::holds_alternative<Committing>(state_); }
  /// Sends the client the rest, or closes its connection.
  void release();
  /// Drops everything silently.
  void drop();

 private:
  struct Held {};
  struct Live {
    std::uint64_t sent = 0;  ///< of the body
  };
  struct Committing {
    std::optional<std::uint64_t> sent;  ///< if it was passed on live
    std::shared_ptr<const std::string> body;
    bool good = false;
  };
  struct Over {};

  void settle();
  void send_rest(const Committing& committing);
  void cut_off();

  std::shared_ptr<Exchange> exchange_;
  std::size_t max_body_;
  bool to_head_;
  std::variant<Held, Live, Committing, Over> state_;
  Response head_;
  std::size_t head_bytes_ = 0;  ///< in memory
  std::optional<std::uint64_t> length_;
  bool keeps_body_ = true;
  bool passing_ = false;
  std::string body_;           ///< kept, or not yet sent to the client
  std::uint64_t dropped_ = 0;  ///< the number of bytes before those
  BufferCharge charge_;
};

}  // namespace tapedeck::http
