#pragma once
// Recorded responses in the chain.

#include "replay/chain/chain.h"
#include "replay/recorded/player.h"

namespace tapedeck::replay {

/// Replays the request, treating a HEAD as a GET first. Stores in the context why nothing was replayed.
[[nodiscard]] std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread);

}  // namespace tapedeck::replay
