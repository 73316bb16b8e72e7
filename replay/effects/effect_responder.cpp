#include "replay/effects/effect_responder.h"

#include <algorithm>

#include "api/json_spans.h"
#include "replay/builtins/compound_answer.h"
#include "replay/effects/body_change.h"
#include "replay/overlays/overlay_turn.h"
#include "replay/recorded/playable.h"
#include "replay/thread_state.h"
#include "replay/visit.h"

namespace tapedeck::replay {
namespace {

/// The write is made: nothing says that it failed. A fault only takes its response away.
bool is_success(const Reply& reply) {
  if (reply.outcome == Outcome::miss) return false;
  std::string room;
  const std::string_view body = reply.body_in(room);
  const bool is_lost = reply.handwork && reply.handwork->mishap;
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

/// Whether the response shows the consequences of that write already.
bool is_behind(const Reply& reply, const RecordedWrite& write) {
  return reply.played && reply.played->lane == write.lane && reply.played->playable->segment() >= write.segment;
}

/// All of the owner's, whatever request made them.
void end_sessions(const Visit& visit) {
  const Session& own = visit.session();
  if (own.kind() == Session::Kind::adopted && !visit.scope_run()) {
    own.ended = true;
    return;
  }
  if (own.kind() == Session::Kind::anonymous && !visit.scope_run()) return;
  for (const auto& session : visit.run().sessions.all()) {
    const bool is_owners = visit.scope_run() || &session->account() == &own.account();
    if (is_owners && session->kind() != Session::Kind::anonymous) session->ended = true;
  }
}

}  // namespace

std::vector<EffectPtr> Effects::following(const Visit& visit, const EffectSet& set, const api::Call& call) const {
  return set.following({&call, {}, {}, private_values_}, visit.run().name);
}

void Effects::look(Visit& visit, ThreadState& thread) const {
  look_at_store(visit, store_, thread);
  const EffectSet& set = thread.overlays->effects();
  if (set.empty() || !visit.asked().is_call()) return;
  const Remembered* const remembered = visit.asked().remembered();
  if (remembered != nullptr && remembered->unaffected_by == thread.overlay_version) return;
  const api::Call* const call = visit.asked().call();
  if (call == nullptr) return;
  const bool is_compound = visit.asked().kind() == CallKind::compound && !visit.asked().part();
  const bool is_changed = set.is_changed(*call);
  if (!is_compound && !is_changed && !set.has_effect(*call)) {
    if (remembered != nullptr && set.is_plain()) remembered->unaffected_by = thread.overlay_version;
    return;
  }
  auto turn = std::make_shared<EffectTurn>();
  turn->owner = overlay_owner(visit);
  if (is_compound) {
    look_at_parts(visit, set, *turn);
  } else {
    turn->following = following(visit, set, *call);
  }
  if (is_changed) {
    const auto owner = store_.counts().owner(turn->owner);
    const std::lock_guard lock(owner->mutex);
    turn->pending = owner->effects.for_read(*call);
  }
  visit.ignores_conditions = !turn->pending.empty();
  if (!turn->following.empty() || !turn->pending.empty() || !turn->parts.empty()) visit.effects = std::move(turn);
}

/// A compound is taken apart if an earlier write changes one of its parts.
void Effects::look_at_parts(Visit& visit, const EffectSet& set, EffectTurn& turn) const {
  const auto calls = visit.asked().call()->parts();
  if (!calls) return;
  std::vector<const api::Call*> changed;
  for (std::size_t place = 0; place < calls->size(); ++place) {
    const api::Call& part = (*calls)[place];
    if (auto effects = following(visit, set, part); !effects.empty()) turn.parts.push_back({place, std::move(effects)});
    if (set.is_changed(part)) changed.push_back(&part);
  }
  if (changed.empty()) return;
  const auto owner = store_.counts().owner(turn.owner);
  const std::lock_guard lock(owner->mutex);
  visit.take_apart = visit.take_apart || std::any_of(changed.begin(), changed.end(), [&](const api::Call* part) {
                       return !owner->effects.for_read(*part).empty();
                     });
}

WriteValuesPtr Effects::values_of(const Visit& visit, const api::Call& call, const Effect& effect,
                                  const std::string& owner_name) const {
  auto values = std::make_shared<WriteValues>();
  values->session_id = visit.session().id();
  values->session_token = visit.session().csrf_token();
  values->session_device_id = visit.session().device_id();
  for (const api::Param& param : call.params()) {
    const bool is_value = !param.filename && !visit.asked().policy().leaves_out(param.name);
    if (is_value && !keys_.is_secret(param, call)) values->params.emplace_back(param.name, param.value);
  }
  const auto owner = store_.counts().owner(owner_name);
  const std::lock_guard lock(owner->mutex);
  values->count = owner->effects.next_count(effect);
  return values;
}

void Effects::fill_values(Visit& visit, EffectTurn& turn) const {
  if (!turn.values.empty()) return;
  for (const EffectPtr& effect : turn.following) {
    turn.values.push_back(values_of(visit, *visit.asked().call(), *effect, turn.owner));
  }
}

void Effects::follow(Visit& visit, const Reply& reply) {
  if (!visit.effects || !is_success(reply)) return;
  EffectTurn& turn = *visit.effects;
  if (!turn.following.empty()) {
    fill_values(visit, turn);
    add(visit, *visit.asked().call(), turn.following, turn.values, reply);
  }
  // The parts of a compound that did not play as a whole have been here themselves.
  if (turn.parts.empty() || !reply.played) return;
  const auto calls = visit.asked().call()->parts();
  std::string room;
  const auto answers = api::compound_answers(reply.body_in(room));
  for (const EffectTurn::Part& part : turn.parts) {
    if (!answers || part.place >= answers->size()) continue;
    if (api::json_member((*answers)[part.place], "success") != "true") continue;
    const api::Call& call = (*calls)[part.place];
    std::vector<WriteValuesPtr> values;
    for (const EffectPtr& effect : part.following) values.push_back(values_of(visit, call, *effect, turn.owner));
    add(visit, call, part.following, values, reply);
  }
}

void Effects::add(Visit& visit, const api::Call& call, const std::vector<EffectPtr>& following,
                  const std::vector<WriteValuesPtr>& values, const Reply& reply) {
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
    const auto owner = store_.counts().owner(visit.effects->owner);
    const std::lock_guard lock(owner->mutex);
    is_over = owner->effects.add(std::move(changes));
  }
  if (is_over) {
    warn("effects: one client has more than 1,000 changes or 1 MiB of them; its oldest changes are dropped, most "
         "recently for " + shown_name(call.api()) + "/" + shown_name(call.folded_method()));
  }
  if (ends_sessions) end_sessions(visit);
}

void Effects::change(Visit& visit, Reply& reply) {
  if (!visit.effects || visit.effects->pending.empty()) return;
  if (reply.outcome == Outcome::miss) return;
  std::string body = reply.body();
  const auto verdict = api::verdict(body);
  if (!verdict || !verdict->success || !api::is_json(body)) return;
  const api::Call& call = *visit.asked().call();
  bool is_changed = false;
  for (const PendingChange& pending : visit.effects->pending) {
    if (pending.recorded && is_behind(reply, *pending.recorded)) continue;
    const auto keeps = [&](const std::string& path, const std::string& reason) {
      warn("effect " + pending.effect->on.text() + ": " + shown_name(call.api()) + "/" +
           shown_name(call.folded_method()) + " keeps " + path + ": " + reason);
    };
    std::string now;
    try {
      now = changed_body(body, pending, call, longest_body_, keeps);
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

std::optional<Reply> Effects::reply(Visit& visit, ThreadState& thread) {
  if (!visit.effects || visit.effects->following.empty() || !visit.asked().is_complete()) return std::nullopt;
  // Like a fallback, an effect does not stand in for a recording that cannot be played.
  if (visit.notes.is_recorded()) return std::nullopt;
  EffectTurn& turn = *visit.effects;
  // What somebody has declared counts like an overlay; what is built in needs a device that has the call.
  const bool is_builtin = turn.following.front()->is_builtin;
  if (is_builtin && knowledge_.judge(*visit.asked().call(), thread).certain) return std::nullopt;
  fill_values(visit, turn);
  std::string data;
  for (std::size_t i = 0; i < turn.following.size(); ++i) {
    if (!turn.following[i]->reply) continue;
    TemplateValues values;
    values.session_id = turn.values[i]->session_id;
    values.session_token = turn.values[i]->session_token;
    values.session_device_id = turn.values[i]->session_device_id;
    values.count = turn.values[i]->count;
    values.param = [&](std::string_view name) {
      const std::string* const value = turn.values[i]->param(name);
      return value == nullptr ? std::nullopt : std::optional(*value);
    };
    try {
      data = turn.following[i]->reply->render(values, longest_body_);
    } catch (const api::TooLong& error) {
      warn("effect " + turn.following[i]->on.text() + " gives no reply: " + error.what());
      return std::nullopt;
    }
    break;
  }
  Reply made = Reply::json(Outcome::derived, api::success_envelope(data));
  made.by_builtin_effect = is_builtin;
  return made;
}

void Effects::warn(const std::string& line) {
  constexpr std::size_t most = 1'000;
  {
    const std::lock_guard lock(mutex_);
    if (warned_.size() >= most || !warned_.insert(line).second) return;
  }
  if (warn_) warn_(line);
}

std::optional<Reply> WriteWatch::answer(Visit& visit, ThreadState& thread) {
  effects_.look(visit, thread);
  return std::nullopt;
}

void WriteWatch::change(Visit& visit, ThreadState& /*thread*/, Reply& reply) { effects_.follow(visit, reply); }

void ResponseChanger::change(Visit& visit, ThreadState& /*thread*/, Reply& reply) { effects_.change(visit, reply); }

std::optional<Reply> WriteReplier::answer(Visit& visit, ThreadState& thread) { return effects_.reply(visit, thread); }

}  // namespace tapedeck::replay
