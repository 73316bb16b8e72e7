#include <utility>

#include "replay/chain/thread_state.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread) {
  if (thread.cassettes.empty()) return std::nullopt;
  PlayResult result = player.play(context.play_request(), thread.cassettes);
  context.notes = std::move(result.notes);
  if (result.kind != PlayResult::Kind::nothing || !context.parsed().is_head()) return Reply::of(std::move(result));
  RequestContext head = context.as_head();
  return Reply::of(player.play_head(head.play_request(), thread.cassettes));
}

Link player_link(const StageServices& parts) {
  return {Stage::player, [&parts](RequestContext& context, ThreadState& thread) {
            if (context.take_apart || context.parsed().kind() == CallKind::login) return pass_on();
            return reply_with(play(parts.player, context, thread));
          }};
}

}  // namespace tapedeck::replay
