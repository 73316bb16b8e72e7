#include "replay/stages/player_stage.h"

#include <algorithm>
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

bool begins_with_parts(RequestContext& context, ThreadState& thread) {
  if (context.parsed().kind() != CallKind::compound || context.scope_run()) return false;
  const auto added = Player::added_in(context.play_request(), thread.cassettes);
  const auto calls = added ? context.parsed().call()->parts() : std::nullopt;
  if (!calls || calls->empty()) return false;
  std::uint32_t place = 0;
  return std::all_of(calls->begin(), calls->end(), [&](const api::Call& call) {
    RequestContext part(context, call, place++);
    return Player::has_before(part.play_request(), thread.cassettes, *added);
  });
}

}  // namespace tapedeck::replay
