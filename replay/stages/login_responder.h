#pragma once
// Responds to logins and logouts (docs/replay.md, "Sessions"; docs/device-notes.md, "Login and sessions").

#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/recorded/playable.h"
#include "replay/recorded/player.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

/// Creates and ends sessions. Replays the recorded login or logout with the session's own values, or else generates a
/// response. Refuses a login that was recorded only with a refusal.
class LoginResponder : public Responder {
 public:
  /// `shapes` are used for sessions without a recorded login. All references must outlive the object.
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

/// Returns the shapes of the values in a recorded login response, or those of `otherwise` for values that it lacks.
[[nodiscard]] MintShapes shapes_of(const Playable& login, MintShapes otherwise);
/// Returns the shapes of the first successful login in any lookup.
[[nodiscard]] MintShapes recorded_shapes(const ThreadState& thread);

}  // namespace tapedeck::replay
