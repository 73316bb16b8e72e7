#pragma once
// Recorded responses in the chain.

#include "replay/chain/chain.h"
#include "replay/recorded/player.h"

namespace tapedeck::replay {

/// Replays the request, treating a HEAD as a GET first. Stores in the context why nothing was replayed.
[[nodiscard]] std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread);

/// Returns true for a compound that `--mode new` recorded only after it had replayed its parts one by one. The
/// sequences of these parts end with the responses of that compound.
[[nodiscard]] bool begins_with_parts(RequestContext& context, ThreadState& thread);

}  // namespace tapedeck::replay
