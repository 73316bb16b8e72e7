#include <algorithm>
#include <utility>

#include "replay/chain/thread_state.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

/// Returns true for a compound that `--mode new` recorded only after it had replayed its parts one by one. The
/// sequences of these parts end with the responses of that compound.
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

}  // namespace

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
            if (begins_with_parts(context, thread)) return pass_on();
            return reply_with(play(parts.player, context, thread));
          }};
}

}  // namespace tapedeck::replay
