#pragma once
// Whose request it is; logins, logouts, and sessions that are refused (semantics §2, "Sessions"; §5).

#include "replay/builtins/device_knowledge.h"
#include "replay/recorded/player.h"
#include "replay/replay_options.h"
#include "replay/reply.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

/// First of the chain: gives every request its session. Answers logins and logouts, the recorded answer before one of
/// its own, and calls whose session is refused; passes everything else on.
class SessionResponder : public Responder {
 public:
  /// `shapes` are those of sessions that no recorded login made.
  SessionResponder(const ReplayOptions& options, SessionTable& sessions, Player& player, DeviceKnowledge& knowledge,
                   MintShapes shapes)
      : options_(options), sessions_(sessions), player_(player), knowledge_(knowledge), shapes_(std::move(shapes)) {}

  [[nodiscard]] std::optional<Reply> answer(Asked& asked, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply log_in(Asked& asked, ThreadState& thread);
  [[nodiscard]] Reply log_out(Asked& asked, ThreadState& thread);
  /// The code with which the call is refused, if it is.
  [[nodiscard]] std::optional<api::ErrorCode> refusal(Asked& asked, ThreadState& thread, bool has_id, bool is_known);

  const ReplayOptions& options_;
  SessionTable& sessions_;
  Player& player_;
  DeviceKnowledge& knowledge_;
  const MintShapes shapes_;
};

/// The shapes of the values that a recorded login answer gives; those of `otherwise` where it gives none.
[[nodiscard]] MintShapes shapes_of(const Playable& login, MintShapes otherwise);
/// The shapes of the first successful login in any of the decks.
[[nodiscard]] MintShapes recorded_shapes(const ThreadState& thread);

}  // namespace tapedeck::replay
