#pragma once
// Implements the stage that replays recorded responses.

#include "replay/chain/chain.h"
#include "replay/recorded/player.h"

namespace tapedeck::replay {

/// Replays the request, treating a HEAD as a GET first. Stores in the context why nothing was replayed.
[[nodiscard]] std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread);

/// Replays everything except logins, which have their own stage, and compounds that are handled part by part.
class PlayerStage : public Responder {
 public:
  /// `player` must outlive it.
  explicit PlayerStage(const Player& player) : player_(player) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  const Player& player_;
};

}  // namespace tapedeck::replay
