#include "replay/stages/player_stage.h"

#include <utility>

#include "replay/chain/thread_state.h"

namespace tapedeck::replay {

std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread) {
  if (thread.cassettes.empty()) return std::nullopt;
  PlayResult result = player.play(context.play_request(), thread.cassettes);
  context.notes = std::move(result.notes);
  if (result.kind != PlayResult::Kind::nothing || !context.parsed().is_head()) return Reply::of(std::move(result));
  RequestContext head = context.as_head();
  return Reply::of(player.play_head(head.play_request(), thread.cassettes));
}

}  // namespace tapedeck::replay
