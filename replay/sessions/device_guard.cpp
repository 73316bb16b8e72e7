#include "replay/sessions/device_guard.h"

#include <algorithm>

#include "api/write_guard.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "replay/ledger.h"
#include "replay/recorded/playable.h"

namespace tapedeck::replay {
namespace {

bool is_task_id(const SpliceRow& row) { return row.redaction.secret_class == scrubbers::SecretClass::task_id; }

bool gives_task(const Playable& playable) {
  return std::any_of(playable.head_rows().begin(), playable.head_rows().end(), is_task_id) ||
         std::any_of(playable.body_rows().begin(), playable.body_rows().end(), is_task_id);
}

/// A write that failed has changed nothing, there or here. Of a compound the parts may have succeeded whatever it says.
bool is_success(const Visit& visit, const Reply& reply) {
  if (visit.asked().kind() == CallKind::compound || !reply.played) return true;
  const auto code = reply.played->playable->error_code();
  return !code || *code == 0;
}

/// The scope's name without its run, as --rerecord reads it.
std::string scope_name_text(const Visit& visit) {
  const std::string text = scope_text(visit);
  return text.substr(0, text.rfind('#'));
}

/// As people type it in a shell.
std::string option_value(const std::string& text) {
  const auto is_plain = [](char c) {
    return base::is_alnum(c) || std::string_view("-_.,:/%+@").find(c) != std::string_view::npos;
  };
  return std::all_of(text.begin(), text.end(), is_plain) ? text : base::shell_quoted(text);
}

}  // namespace

std::optional<Reply> DeviceWatch::answer(Visit& /*visit*/, ThreadState& /*thread*/) { return std::nullopt; }

void DeviceWatch::change(Visit& visit, ThreadState& /*thread*/, Reply& reply) {
  const bool is_built = visit.asked().kind() == CallKind::compound && reply.outcome == Outcome::builtin;
  const bool is_played = reply.played && (reply.outcome == Outcome::recorded || reply.outcome == Outcome::overlay);
  if (!is_played && !is_built) return;
  const bool writes = api::WriteGuard::effect(visit.asked().request(), std::string_view()) == api::Effect::write;
  const bool is_ahead = (writes && is_success(visit, reply)) || (is_played && gives_task(*reply.played->playable));
  if (is_ahead) visit.session().ahead_of_device = true;
}

/// A recorded scope is played, and what it lacks is not mixed in: it is recorded whole (toolkit §3).
std::optional<Reply> DeviceGuard::answer(Visit& visit, ThreadState& /*thread*/) {
  MissReport miss;
  if (visit.scope_run()) {
    miss.reason = "the scope does not contain this call, and a scope can only be recorded as a whole";
    miss.hint = "record the whole scope again with --rerecord " + option_value(scope_name_text(visit));
    return blocked(visit, miss, "scope");
  }
  if (!visit.session().ahead_of_device) return std::nullopt;
  miss.reason = "its session depends on a replayed write that the device has not received";
  miss.hint = "record the whole flow again: `tapedeck record` without --mode";
  return blocked(visit, miss, "state");
}

Reply DeviceGuard::blocked(const Visit& visit, const MissReport& why, std::string_view word) const {
  MissReport miss = why;
  const api::Call* const call = visit.asked().call();
  miss.asked = call != nullptr ? call->api() + "/" + call->version() + "/" + call->folded_method()
                               : visit.asked().request().method;
  seen_(visit, miss);
  const int status = call != nullptr ? miss_status_ : 404;
  Reply reply = Reply::json(Outcome::miss, api::error_envelope(miss.code, miss.errors_json()), status);
  reply.response.headers.add("X-Tapedeck-Miss", miss.reason);
  reply.response.headers.add("X-Tapedeck-Blocked", word);
  return reply;
}

std::optional<Reply> ToDevice::answer(Visit& visit, ThreadState& /*thread*/) {
  const CallKind kind = visit.asked().kind();
  const api::Call* const call = visit.asked().call();
  const bool is_login =
      kind == CallKind::login || kind == CallKind::logout || (call != nullptr && call->name().rest == "API.Encryption");
  visit.goes_to_end = visit.scope_is_recorded || (takes_logins_ && is_login && !visit.scope_run());
  return std::nullopt;
}

}  // namespace tapedeck::replay
