#include <algorithm>

#include "api/write_guard.h"
#include "replay/chain/ledger.h"
#include "replay/recorded/playable.h"
#include "replay/stages/remedy.h"

namespace tapedeck::replay {
namespace {

bool is_task_id(const SpliceRow& row) { return row.redaction.secret_class == scrubbers::SecretClass::task_id; }

bool gives_task(const Playable& playable) {
  return std::any_of(playable.head_rows().begin(), playable.head_rows().end(), is_task_id) ||
         std::any_of(playable.body_rows().begin(), playable.body_rows().end(), is_task_id);
}

/// Returns true if the request may have changed something. The parts of a compound may have succeeded even if
/// the whole reports an error.
bool is_success(const RequestContext& context, const Reply& reply) {
  if (context.parsed().kind() == CallKind::compound || !reply.played) return true;
  const auto code = reply.played->playable->error_code();
  return !code || *code == 0;
}

}  // namespace

void mark_session_ahead(const RequestContext& context, const Reply& reply) {
  const bool is_built = context.parsed().kind() == CallKind::compound && reply.outcome == Outcome::builtin;
  const bool is_played = reply.played && (reply.outcome == Outcome::recorded || reply.outcome == Outcome::overlay);
  if (!is_played && !is_built) return;
  const bool writes = api::WriteGuard::effect(context.parsed().request(), std::string_view()) == api::Effect::write;
  const bool is_ahead = (writes && is_success(context, reply)) || (is_played && gives_task(*reply.played->playable));
  if (is_ahead) context.session().ahead_of_device = true;
}

namespace {

Reply blocked(const Services& services, const RequestContext& context, MissReport report, std::string_view word) {
  const api::Call* const call = context.parsed().call();
  report.key = call != nullptr ? call->api() + "/" + call->version() + "/" + call->folded_method()
                               : context.parsed().request().method;
  Reply reply = missed(services, context, report, call != nullptr ? services.options.miss_status : 404);
  reply.response.headers.add("X-Tapedeck-Blocked", word);
  return reply;
}

}  // namespace

/// A recorded scope is replayed, and calls that it lacks are not mixed in, because scopes are recorded as a whole
/// (docs/testing.md, "Tests as scopes").
std::optional<Reply> answer_blocked(const Services& services, const RequestContext& context, ThreadState& thread) {
  MissReport miss;
  if (context.scope_run()) {
    miss.reason = "the scope has no response left for this call, and a scope can only be recorded as a whole";
    suggest_recording(services.options, context, thread, miss);
    return blocked(services, context, miss, "scope");
  }
  if (!context.session().ahead_of_device) return std::nullopt;
  miss.reason = "its session depends on a replayed write that the device has not received";
  miss.hint = "record the whole flow again, without --mode new";
  return blocked(services, context, miss, "state");
}

bool is_for_device(const RequestContext& context) {
  const api::Call* const call = context.parsed().call();
  // Their keys and messages are those of the device, which makes the handshake.
  const bool has_keys =
      call != nullptr && (call->name().rest == "API.Encryption" || call->name().rest == "API.Auth.UIConfig");
  const bool is_login = context.parsed().session_step() != api::SessionStep::none ||
                        context.parsed().kind() == CallKind::resumption || has_keys;
  return context.scope_is_recorded || (is_login && !context.scope_run());
}

}  // namespace tapedeck::replay
