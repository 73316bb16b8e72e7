#include <utility>

#include "replay/chain/thread_state.h"
#include "replay/stages/web_login.h"

namespace tapedeck::replay {
std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread) {
  if (thread.cassettes.empty()) return std::nullopt;
  context.not_played = Nothing{};
  auto reply = player.play(context.play_request(), thread.cassettes, context.not_played);
  if (!reply && context.hide_login_secret()) {
    context.not_played = Nothing{};
    reply = player.play(context.play_request(), thread.cassettes, context.not_played);
  }
  if (reply || !context.parsed().is_head()) return reply;
  RequestContext head = context.as_head();
  return player.play_head(head.play_request(), thread.cassettes);
}

std::optional<Reply> play_recording(const Services& services, RequestContext& context, ThreadState& thread) {
  if (context.take_apart || context.parsed().kind() == CallKind::login) return std::nullopt;
  auto reply = play(services.player, context, thread);
  if (reply) begin_played_session(services, context, *reply, false);
  if (reply) present_own_keys(services, context, *reply);
  return reply;
}

}  // namespace tapedeck::replay
