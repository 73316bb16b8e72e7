#pragma once
// What a stage of the chain replies.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/envelope.h"
#include "http/server/exchange.h"
#include "replay/chain/delivery_plan.h"
#include "replay/recorded/play_request.h"

namespace tapedeck::replay {

/// Semantics §5, first table; the word in X-Tapedeck-Outcome.
enum class Outcome { recorded, overlay, derived, builtin, fallback, miss };
inline constexpr std::size_t outcome_count = 6;
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// A body that its owner keeps, in pieces.
struct SharedBody {
  std::vector<std::string_view> pieces;
  std::shared_ptr<const void> owner;
};

struct Reply {
  Outcome outcome = Outcome::builtin;
  std::uint32_t cassette = 0;  ///< of a recording: which one it is from, in the command line's order
  /// Of a recording; otherwise `response` is what goes out.
  std::optional<http::PreparedReply> prepared;
  http::Response response;
  std::unique_ptr<SharedBody> shared_body;  ///< of `response`, in the place of `response.body`; null: that
  std::optional<PlayedRecording> played;
  std::unique_ptr<DeliveryPlan> delivery;  ///< null for most
  bool by_builtin_effect = false;          ///< of a derived one: a built-in effect has a part in it

  /// The delivery plan, made if there is none.
  [[nodiscard]] DeliveryPlan& plan();
  /// From now on the head of `response` is what goes out, for those who change it; a recorded body stays where it is.
  void to_head();
  /// The same with the body in it.
  void to_response();
  /// From now on this is the body.
  void set_body(std::string body);
  /// What goes out, as one message.
  [[nodiscard]] http::Response whole() const;
  void add_header(std::string_view name, std::string_view value);
  /// With its header.
  void set_outcome(Outcome now);

  /// A JSON body of our own, with Content-Type and X-Tapedeck-Outcome.
  [[nodiscard]] static Reply json(Outcome outcome, std::string body, int status = 200);
  /// What a client gets of that; nothing where nothing played.
  [[nodiscard]] static std::optional<Reply> of(PlayResult result);
  /// The error envelope with no more than its code.
  [[nodiscard]] static Reply error(Outcome outcome, api::ErrorCode code);

  /// The body, put together.
  [[nodiscard]] std::string body() const;
  /// The same without a copy where it lies in one piece; otherwise it is put together in `room`. Good as long as both.
  [[nodiscard]] std::string_view body_in(std::string& room) const;
  [[nodiscard]] std::size_t body_bytes() const;

 private:
  [[nodiscard]] std::span<const std::string_view> pieces() const;
};

}  // namespace tapedeck::replay
