#pragma once
// Logins and logouts (docs/replay.md, "Sessions"; docs/device-notes.md, "Login and sessions").

#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/recorded/playable.h"
#include "replay/recorded/player.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

/// Mints and ends sessions. Answers with what the chain's player has of the login or logout, the session's own values
/// in it, or else with an answer of its own; a login that was recorded with a refusal alone is refused.
class LoginResponder : public Responder {
 public:
  /// `shapes` are those of sessions that no recorded login made. Everything must outlive it.
  LoginResponder(const ReplayOptions& options, Scopes& scopes, const Player& player, const MintShapes& shapes)
      : options_(options), scopes_(scopes), player_(player), shapes_(shapes) {}

  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply log_in(RequestContext& context, ThreadState& thread);
  [[nodiscard]] Reply log_out(RequestContext& context, ThreadState& thread);

  const ReplayOptions& options_;
  Scopes& scopes_;
  const Player& player_;
  const MintShapes& shapes_;
};

/// The shapes of the values that a recorded login answer gives; those of `otherwise` where it gives none.
[[nodiscard]] MintShapes shapes_of(const Playable& login, MintShapes otherwise);
/// The shapes of the first successful login in any of the lookups.
[[nodiscard]] MintShapes recorded_shapes(const ThreadState& thread);

}  // namespace tapedeck::replay
