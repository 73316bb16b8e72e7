#pragma once
// The client's half of a relayed answer (semantics §6): kept back until it is whole and committed, or passed on live up
// to the end of its framing, which waits for the commit. The device's half is Transfer.

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

/// held → (live) → committing → over. For its loop's thread alone. While it is received it owns the body; with the
/// commit the recorder does, and hands back a view of it, so that there is never a second copy for the client.
class HeldAnswer {
 public:
  /// A body longer than `max_body` is not kept: what the client has of it goes from memory.
  HeldAnswer(std::shared_ptr<Exchange> exchange, std::size_t max_body, bool to_head);

  /// The head that the client will get. `length`: of the body, if the head says so.
  void begin(Response head, std::optional<std::uint64_t> length);
  /// More of the body.
  void add(std::string bytes);
  /// The client gets what there is and what comes. `drained` is called when it has taken all that was given to it, and
  /// when it has gone.
  void go_live(const std::function<void()>& drained);
  /// Live: gives the client what it can take.
  void pass_on();
  /// Within pass_on(): the client may drain what it got, or go, before that returns.
  [[nodiscard]] bool is_passing() const { return passing_; }

  [[nodiscard]] bool is_live() const { return std::holds_alternative<Live>(state_); }
  [[nodiscard]] bool keeps_body() const { return keeps_body_; }
  [[nodiscard]] bool client_is_gone() const { return exchange_->gone(); }
  /// False while a live answer's client has enough to take: the device waits for it.
  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] const Response& head() const { return head_; }
  /// Bytes of the buffers.
  [[nodiscard]] std::size_t held() const { return charge_.held(); }
  [[nodiscard]] std::uint64_t body_bytes() const { return dropped_ + body_.size(); }

  /// An answer of our own in place of the device's.
  void replace(Response answer);
  /// Nothing more comes. Gives away the body as far as it was kept, with its charge.
  [[nodiscard]] std::string end(BufferCharge& charge);
  /// The end waits for release(). `body` is what end() gave away. `good`: the client may take it for whole.
  void commit(std::shared_ptr<const std::string> body, bool good);
  [[nodiscard]] bool is_committing() const { return std::holds_alternative<Committing>(state_); }
  /// The client gets the rest, or sees a cut.
  void release();
  /// Lets go of everything without a word.
  void drop();

 private:
  struct Held {};
  struct Live {
    std::uint64_t sent = 0;  ///< of the body
  };
  struct Committing {
    std::optional<std::uint64_t> sent;  ///< if it was live
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
  std::size_t head_bytes_ = 0;  ///< of memory
  std::optional<std::uint64_t> length_;
  bool keeps_body_ = true;
  bool passing_ = false;
  std::string body_;           ///< kept, or what the client has not got yet
  std::uint64_t dropped_ = 0;  ///< bytes that stood before those
  BufferCharge charge_;
};

}  // namespace tapedeck::http
