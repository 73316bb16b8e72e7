#pragma once
// Logins and logouts (semantics §2, "Sessions"; field notes, "Login and sessions").

#include "replay/chain.h"
#include "replay/recorded/playable.h"
#include "replay/replay_options.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

/// Mints and ends sessions. Answers with what the chain's player has of the login or logout, the session's own values
/// in it, or else with an answer of its own; a login that was recorded with a refusal alone is refused.
class LoginResponder : public Responder {
 public:
  /// `shapes` are those of sessions that no recorded login made. `chain` is the one that this is a link of.
  LoginResponder(const ReplayOptions& options, Scopes& scopes, const Chain& chain, const MintShapes& shapes)
      : options_(options), scopes_(scopes), chain_(chain), shapes_(shapes) {}

  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  [[nodiscard]] Reply log_in(Visit& visit, ThreadState& thread);
  [[nodiscard]] Reply log_out(Visit& visit, ThreadState& thread);

  const ReplayOptions& options_;
  Scopes& scopes_;
  const Chain& chain_;
  const MintShapes& shapes_;
};

/// The shapes of the values that a recorded login answer gives; those of `otherwise` where it gives none.
[[nodiscard]] MintShapes shapes_of(const Playable& login, MintShapes otherwise);
/// The shapes of the first successful login in any of the decks.
[[nodiscard]] MintShapes recorded_shapes(const ThreadState& thread);

}  // namespace tapedeck::replay
