#pragma once
// Recorded responses as a stage of the chain.

#include "replay/chain/chain.h"
#include "replay/recorded/player.h"

namespace tapedeck::replay {

/// What the player has for the request, a HEAD as the GET that it reads as first. Notes in the context why nothing
/// plays.
[[nodiscard]] std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread);

/// Plays everything but logins, whose stage asks the player itself, and compounds that are taken apart.
class PlayerStage : public Responder {
 public:
  /// `player` must outlive it.
  explicit PlayerStage(const Player& player) : player_(player) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  const Player& player_;
};

}  // namespace tapedeck::replay
