#pragma once
// Sends a device's response to the client (docs/recording.md, "What is held back"). Either all of it is sent after the
// commit, or it is sent live except for its end, which the client receives after the commit. Transfer receives the
// response from the device.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "http/message/message.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Its states are held, live (for some responses), committing, and over. Call it on its loop's thread. Owns the body
/// until the commit; then the recorder owns the body and shares it, so there is never a second copy.
class HeldResponse {
 public:
  /// A body longer than `max_body` is freed as it is sent. `to_head`: the request is a HEAD request.
  HeldResponse(std::shared_ptr<Exchange> exchange, std::size_t max_body, bool to_head);

  /// Sets the head for the client. `length` is the length of the body, if the head contains it.
  void begin(Response head, std::optional<std::uint64_t> length);
  /// Appends to the body.
  void add(std::string bytes);
  /// Starts to send to the client. Calls `drained` when the client has received everything, and when it disconnects.
  void go_live(const std::function<void()>& drained);
  /// Sends more of a live response, as much as the client accepts.
  void pass_on();
  /// Returns true during pass_on(), which may call `drained`.
  [[nodiscard]] bool is_passing() const { return passing_; }

  [[nodiscard]] bool is_live() const { return std::holds_alternative<Live>(state_); }
  [[nodiscard]] bool keeps_body() const { return keeps_body_; }
  [[nodiscard]] bool client_is_gone() const { return exchange_->gone(); }
  /// Returns false if so many bytes of a live response are unsent that the device should wait.
  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] const Response& head() const { return head_; }
  /// Returns the number of bytes that its buffers occupy.
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] std::uint64_t body_bytes() const { return dropped_ + body_.size(); }

  /// Replaces the device's response.
  void replace(Response response);
  /// Ends the body. Returns the kept part of it.
  [[nodiscard]] std::string end();
  /// Holds the rest until release(). `body` is the result of end(). `good`: the response is complete.
  void commit(std::shared_ptr<const std::string> body, bool good);
  [[nodiscard]] bool is_committing() const { return std::holds_alternative<Committing>(state_); }
  /// Sends the rest to the client. Then closes the connection unless the response is good.
  void release();
  /// Stops sending to the client.
  void drop() { state_ = Over{}; }

 private:
  struct Held {};
  struct Live {
    std::uint64_t sent = 0;  ///< bytes of the body
  };
  struct Committing {
    std::optional<std::uint64_t> sent;  ///< bytes of the body that were sent, if it was live
    std::shared_ptr<const std::string> body;
    bool good = false;
  };
  struct Over {};

  void send_rest(const Committing& committing);
  void cut_off();

  std::shared_ptr<Exchange> exchange_;
  std::size_t max_body_;
  bool to_head_;
  std::variant<Held, Live, Committing, Over> state_;
  Response head_;
  std::size_t head_bytes_ = 0;  ///< size of the head in memory
  std::optional<std::uint64_t> length_;
  bool keeps_body_ = true;
  bool passing_ = false;
  std::string body_;           ///< the bytes that are kept or not yet sent to the client
  std::uint64_t dropped_ = 0;  ///< the number of bytes before them
};

}  // namespace tapedeck::http
