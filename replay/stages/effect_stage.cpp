#include <algorithm>

#include "api/json_spans.h"
#include "replay/chain/request_context.h"
#include "replay/chain/thread_state.h"
#include "replay/effects/effect_state.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/recorded/playable.h"
#include "replay/stages/compound_answer.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

/// Returns true unless the response reports a failure. A fault only removes the response; the write itself was made.
bool is_success(const Reply& reply) {
  if (reply.outcome == Outcome::miss) return false;
  std::string room;
  const std::string_view body = reply.body_in(room);
  const bool is_lost = reply.delivery && reply.delivery->connection_fault;
  if (is_lost && body.empty()) return true;
  const auto verdict = api::verdict(body);
  const int status = reply.prepared && reply.played ? reply.played->playable->status() : reply.response.status;
  return verdict && verdict->success && status < 400;
}

std::optional<RecordedWrite> recorded_write(const Reply& reply) {
  if (!reply.played) return std::nullopt;
  const Playable& playable = *reply.played->playable;
  return RecordedWrite{reply.played->lane, playable.segment() + playable.divides()};
}

/// Returns true if the response was recorded after that write and so shows its consequences.
bool is_behind(const Reply& reply, const RecordedWrite& write) {
  return reply.played && reply.played->lane == write.lane && reply.played->playable->segment() >= write.segment;
}

/// Ends all sessions of the owner.
void end_sessions(const RequestContext& context) {
  const Session& own = context.session();
  if (own.kind() == Session::Kind::adopted && !context.scope_run()) {
    own.ended = true;
    return;
  }
  if (own.kind() == Session::Kind::anonymous && !context.scope_run()) return;
  for (const auto& session : context.run().sessions.all()) {
    const bool is_owners = context.scope_run() || &session->account() == &own.account();
    if (is_owners && session->kind() != Session::Kind::anonymous) session->ended = true;
  }
}

std::vector<EffectPtr> following(const Services& services, const RequestContext& context, const EffectSet& set,
                                 const api::Call& call) {
  return set.following({&call, {}, {}, services.options.private_values.get()}, context.run().name);
}

/// Makes a compound be handled part by part if an earlier write changes one of its parts.
void look_at_parts(const Services& services, RequestContext& context, const EffectSet& set, RequestEffects& turn) {
  const auto calls = context.parsed().call()->parts();
  if (!calls) return;
  std::vector<const api::Call*> changed;
  for (std::size_t place = 0; place < calls->size(); ++place) {
    const api::Call& part = (*calls)[place];
    if (auto effects = following(services, context, set, part); !effects.empty())
      turn.parts.push_back({place, std::move(effects)});
    if (set.is_changed(part)) changed.push_back(&part);
  }
  if (changed.empty()) return;
  const auto owner = services.overlays.counts().owner(turn.owner);
  const std::lock_guard lock(owner->mutex);
  context.take_apart = context.take_apart || std::any_of(changed.begin(), changed.end(), [&](const api::Call* part) {
                         return !owner->effects.for_read(*part).empty();
                       });
}

}  // namespace

void look_for_effects(const Services& services, RequestContext& context, ThreadState& thread) {
  look_at_store(context, services.overlays, thread);
  const EffectSet& set = thread.overlays->effects();
  if (set.empty() || !context.parsed().is_call()) return;
  const Remembered* const remembered = context.parsed().remembered();
  if (remembered != nullptr && remembered->unaffected_by == thread.overlay_version) return;
  const api::Call* const call = context.parsed().call();
  if (call == nullptr) return;
  const bool is_compound = context.parsed().kind() == CallKind::compound && !context.parsed().part();
  const bool is_changed = set.is_changed(*call);
  if (!is_compound && !is_changed && !set.has_effect(*call)) {
    if (remembered != nullptr && set.is_plain()) remembered->unaffected_by = thread.overlay_version;
    return;
  }
  auto turn = std::make_shared<RequestEffects>();
  turn->owner = overlay_owner(context);
  if (is_compound) {
    look_at_parts(services, context, set, *turn);
  } else {
    turn->following = following(services, context, set, *call);
  }
  if (is_changed) {
    const auto owner = services.overlays.counts().owner(turn->owner);
    const std::lock_guard lock(owner->mutex);
    turn->pending = owner->effects.for_read(*call);
  }
  if (!turn->following.empty() || !turn->pending.empty() || !turn->parts.empty()) context.effects = std::move(turn);
}

namespace {

WriteValuesPtr values_of(const Services& services, const RequestContext& context, const api::Call& call,
                         const Effect& effect, const std::string& owner_name) {
  const auto owner = services.overlays.counts().owner(owner_name);
  auto values = std::make_shared<WriteValues>();
  {
    const std::lock_guard lock(owner->mutex);
    static_cast<MarkValues&>(*values) = mark_values(context.session(), owner->effects.next_count(effect));
  }
  for (const api::Param& param : call.params()) {
    const bool is_value = !param.filename && !context.parsed().policy().leaves_out(param.name);
    if (is_value && !services.ledger.keys().is_secret(param, call))
      values->params.emplace_back(param.name, param.value);
  }
  return values;
}

void fill_values(const Services& services, const RequestContext& context, RequestEffects& turn) {
  if (!turn.values.empty()) return;
  for (const EffectPtr& effect : turn.following) {
    turn.values.push_back(values_of(services, context, *context.parsed().call(), *effect, turn.owner));
  }
}

void add_changes(const Services& services, const RequestContext& context, const api::Call& call,
                 const std::vector<EffectPtr>& following, const std::vector<WriteValuesPtr>& values,
                 const Reply& reply) {
  std::vector<PendingChange> changes;
  bool ends_sessions = false;
  for (std::size_t i = 0; i < following.size(); ++i) {
    ends_sessions = ends_sessions || following[i]->ends_sessions;
    for (std::size_t change = 0; change < following[i]->changes.size(); ++change) {
      changes.emplace_back(following[i], change, values[i], recorded_write(reply));
    }
  }
  bool is_over = false;
  if (!changes.empty()) {
    const auto owner = services.overlays.counts().owner(context.effects->owner);
    const std::lock_guard lock(owner->mutex);
    is_over = owner->effects.add(std::move(changes));
  }
  if (is_over) {
    services.warn(
        "effects: one client has more than 1,000 changes or 1 MiB of them; its oldest changes are dropped, most "
        "recently for " +
        shown_name(call.api()) + "/" + shown_name(call.folded_method()));
  }
  if (ends_sessions) end_sessions(context);
}

}  // namespace

void follow_write(const Services& services, const RequestContext& context, const Reply& reply) {
  if (!context.effects || !is_success(reply)) return;
  RequestEffects& turn = *context.effects;
  if (!turn.following.empty()) {
    fill_values(services, context, turn);
    add_changes(services, context, *context.parsed().call(), turn.following, turn.values, reply);
  }
  // The services of a compound that was not replayed as a whole were handled here one by one.
  if (turn.parts.empty() || !reply.played) return;
  const auto calls = context.parsed().call()->parts();
  std::string room;
  const auto answers = api::compound_answers(reply.body_in(room));
  for (const RequestEffects::Part& part : turn.parts) {
    if (!answers || part.place >= answers->size()) continue;
    if (api::json_member((*answers)[part.place], "success") != "true") continue;
    const api::Call& call = (*calls)[part.place];
    std::vector<WriteValuesPtr> values;
    for (const EffectPtr& effect : part.following)
      values.push_back(values_of(services, context, call, *effect, turn.owner));
    add_changes(services, context, call, part.following, values, reply);
  }
}

void change_by_effects(const Services& services, const RequestContext& context, Reply& reply) {
  if (!context.effects || context.effects->pending.empty()) return;
  if (reply.outcome == Outcome::miss) return;
  std::string body = reply.body();
  const auto verdict = api::verdict(body);
  if (!verdict || !verdict->success || !api::is_json(body)) return;
  const api::Call& call = *context.parsed().call();
  bool is_changed = false;
  for (const PendingChange& pending : context.effects->pending) {
    if (pending.recorded && is_behind(reply, *pending.recorded)) continue;
    const auto keeps = [&](const std::string& path, const std::string& reason) {
      services.warn("effect " + pending.effect->on.text() + ": " + shown_name(call.api()) + "/" +
                    shown_name(call.folded_method()) + " keeps " + path + ": " + reason);
    };
    std::string now;
    try {
      now = changed_body(body, pending, call, services.options.longest_body, keeps);
    } catch (const api::TooLong& error) {
      keeps("its body", error.what());
      continue;
    }
    if (now == body) continue;
    is_changed = true;
    reply.by_builtin_effect = reply.by_builtin_effect || pending.effect->is_builtin;
    body = std::move(now);
  }
  if (!is_changed) return;
  reply.set_body(std::move(body));
  reply.response.headers.erase("ETag");
  reply.response.headers.erase("Last-Modified");
  reply.set_outcome(Outcome::derived);
}

std::optional<Reply> answer_effect(const Services& services, const RequestContext& context, ThreadState& thread) {
  if (!context.effects || context.effects->following.empty() || !context.parsed().is_complete()) return std::nullopt;
  // Like a fallback, an effect does not replace a recording that cannot be replayed.
  if (is_recorded(context.not_played)) return std::nullopt;
  RequestEffects& turn = *context.effects;
  // A declared effect counts like an overlay. A built-in one requires that the device has the call.
  const bool is_builtin = turn.following.front()->is_builtin;
  const bool is_simulated = services.overlays.simulated() != nullptr;
  if (is_builtin && !is_simulated && services.knowledge.expected_error(*context.parsed().call(), thread).certain)
    return std::nullopt;
  fill_values(services, context, turn);
  std::string data;
  for (std::size_t i = 0; i < turn.following.size(); ++i) {
    if (!turn.following[i]->reply) continue;
    const WriteValues& written = *turn.values[i];
    const TemplateValues values{written, [&written](std::string_view name) {
                                  const std::string* const value = written.param(name);
                                  return value == nullptr ? std::nullopt : std::optional(*value);
                                }};
    try {
      data = turn.following[i]->reply->render(values, services.options.longest_body);
    } catch (const api::TooLong& error) {
      services.warn("effect " + turn.following[i]->on.text() + " gives no reply: " + error.what());
      return std::nullopt;
    }
    break;
  }
  Reply made = Reply::json(Outcome::derived, api::success_envelope(data));
  made.by_builtin_effect = is_builtin;
  return made;
}

}  // namespace tapedeck::replay
