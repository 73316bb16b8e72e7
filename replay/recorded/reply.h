#pragma once
// Defines a reply, from any source.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/envelope.h"
#include "http/server/exchange.h"
#include "replay/recorded/socket_player.h"
#include "replay/sessions/cursors.h"

namespace tapedeck::replay {

class Playable;

/// The source of a response (docs/replay.md, "Outcomes"), as in X-Tapedeck-Outcome.
enum class Outcome { recorded, overlay, derived, builtin, fallback, miss };
inline constexpr std::size_t outcome_count = 6;
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// A piece of a body, and the time at which it is sent.
struct PacedPiece {
  std::chrono::microseconds wait{};  ///< delay after the previous piece, or after the head
  std::size_t end = 0;               ///< end of the piece in the body
};

/// The effects of overlays on the sending of a reply, apart from its content.
struct DeliveryPlan {
  std::string names;  ///< names of the overlays that were used, from the top, as in X-Tapedeck-Overlay
  std::optional<std::chrono::microseconds> delay;  ///< delay of the first byte
  /// For a recorded delay: the time of the head (first, with `end` 0) and of each piece of the body. `end` ascends to
  /// the body's size. If it is empty, everything is sent together.
  std::vector<PacedPiece> pace;
  std::optional<http::ConnectionFault> connection_fault;  ///< replaces the response
  bool is_held = false;                                   ///< the reply waits until somebody lets it go (HeldReplies)
  std::uint64_t request = 0;               ///< number of a held reply's request in the journal; 0 without a journal
  bool in_recorded_time = false;           ///< messages of a WebSocket come no earlier than recorded
  std::optional<std::uint64_t> cut_after;  ///< a WebSocket is cut after this number of messages to the client
  bool is_cut = false;
  std::optional<std::size_t> cut;  ///< number of bytes of the body that are sent; half of them if empty
};

/// Identifies the recording of a reply.
struct Played {
  std::shared_ptr<const Playable> playable;
  std::uint32_t position = 0;         ///< position in its sequence
  std::uint32_t of = 0;               ///< number of responses in that sequence
  std::string match;                  ///< description of an inexact match, for X-Tapedeck-Match
  bool is_of_scope = true;            ///< false if the request is in a recorded scope, but this recording is not
  bool in_order = true;               ///< see PositionStore::Next
  bool past_end = false;              ///< see PositionStore::Next
  std::chrono::microseconds wait{0};  ///< see PositionStore::Next
  bool account_differs = false;  ///< the account of the request is uncertain, and accounts have different responses
  LaneRef lane{};                ///< lane of the recording
};

struct Reply {
  Outcome outcome = Outcome::builtin;
  std::uint32_t cassette = 0;  ///< for a recording: index of its cassette on the command line
  /// Set for a recording. Otherwise `response` is sent.
  std::optional<http::PreparedReply> prepared;
  http::Response response;
  std::optional<http::SharedBytes> shared_body;  ///< used in place of `response.body`
  std::optional<Played> played;
  std::unique_ptr<DeliveryPlan> delivery;  ///< null for most replies
  /// Called when a replayed WebSocket has ended.
  std::function<void(const api::MessageCounts& counts)> socket_ended;
  std::chrono::milliseconds heartbeats{};  ///< the interval before a WebSocket announces another
  bool is_simulated = false;               ///< for an overlay reply: true if it is the simulated device's
  bool by_builtin_effect = false;          ///< for a derived reply: true if a built-in effect contributed

  /// Returns the delivery plan. Creates one if there is none.
  [[nodiscard]] DeliveryPlan& plan();
  /// Moves a prepared head to `response`, where it can be changed. A recorded body without values of the session is not
  /// copied.
  void to_head();
  /// Moves a prepared head and body to `response`.
  void to_response();
  /// Replaces the body.
  void set_body(std::string body);
  /// Returns true for the recording of a WebSocket.
  [[nodiscard]] bool is_socket() const;
  /// Returns the response as one message.
  [[nodiscard]] http::Response whole() const;
  void add_header(std::string_view name, std::string_view value);
  /// Sets the outcome and its header.
  void set_outcome(Outcome now);

  /// Returns a reply with a JSON body, Content-Type, and X-Tapedeck-Outcome.
  [[nodiscard]] static Reply json(Outcome outcome, std::string body, int status = 200);
  /// Returns the reply of a recording.
  [[nodiscard]] static Reply recorded(std::uint32_t cassette, http::PreparedReply prepared, Played played);
  /// Returns an error envelope with only a code.
  [[nodiscard]] static Reply error(Outcome outcome, api::ErrorCode code);

  /// Returns the body in one piece.
  [[nodiscard]] std::string body() const;
  /// Returns the body without a copy if it is in one piece, and otherwise assembles it in `room`. Valid as long as the
  /// reply and `room`.
  [[nodiscard]] std::string_view body_in(std::string& room) const;
  [[nodiscard]] std::size_t body_bytes() const;
};

/// Sends the reply as overlays require: after its delay if it has one, cut, or not at all. Does not block.
void deliver(std::shared_ptr<http::Exchange> exchange, Reply reply);

/// Applies the plan of a compound's part to the whole. A fault affects all of it. Delays add up if the parts are
/// handled `one_after_another`; otherwise, the longest one counts.
void take_over(DeliveryPlan& whole, const DeliveryPlan& part, bool one_after_another);

}  // namespace tapedeck::replay
