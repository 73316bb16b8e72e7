#include "api/json_spans.h"
#include "replay/chain/thread_state.h"
#include "replay/recorded/playable.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Redaction;
using scrubbers::SecretClass;

bool is_yes(const api::Call& call, std::string_view param) {
  const std::string value = api::canonical_value(call.value(param).value_or(""));
  return value == "yes" || value == "true" || value == "1";
}

/// Returns the response data in the order of devices (docs/device-notes.md, "Login and sessions").
std::string login_data(const api::Call& call, const Session& session) {
  std::string data = "{\"account\":" + api::json_quoted(call.value("account").value_or(""));
  if (is_yes(call, "enable_device_token")) data.append(",\"did\":").append(api::json_quoted(session.device_id()));
  data.append(",\"is_portal_port\":false,\"sid\":").append(api::json_quoted(session.id()));
  if (is_yes(call, "enable_syno_token")) data.append(",\"synotoken\":").append(api::json_quoted(session.csrf_token()));
  return data + "}";
}

Reply built_in_login(const api::Call& call, const Session& session, bool secure) {
  Reply reply = Reply::json(Outcome::builtin, api::success_envelope(login_data(call, session)));
  const std::string attributes = secure ? ";path=/;secure;HttpOnly" : ";path=/;HttpOnly";
  reply.response.headers.add("Set-Cookie", "id=" + session.id() + attributes);
  if (is_yes(call, "enable_device_token")) {
    reply.response.headers.add("Set-Cookie", "did=" + session.device_id() + attributes);
  }
  return reply;
}

void take_shape(MintShapes& shapes, const std::vector<SpliceRow>& rows) {
  for (const SpliceRow& row : rows) {
    const Redaction& redaction = row.redaction;
    if (redaction.whose != scrubbers::Whose::own || redaction.ordinal != 0 || redaction.shape.empty()) continue;
    if (redaction.secret_class == SecretClass::session_id) shapes.session_id = redaction.shape;
    if (redaction.secret_class == SecretClass::csrf_token) shapes.csrf_token = redaction.shape;
    if (redaction.secret_class == SecretClass::device_id) shapes.device_id = redaction.shape;
  }
}

/// Returns the shapes of the values in a recorded login response, or those of `otherwise` for values that it lacks.
MintShapes shapes_of(const Playable& login, MintShapes otherwise) {
  take_shape(otherwise, login.head_rows());
  take_shape(otherwise, login.body_rows());
  return otherwise;
}

Reply log_in(const Services& services, RequestContext& context, ThreadState& thread) {
  const api::Call& call = *context.parsed().call();
  SessionTable& sessions = context.run().sessions;
  const auto account = sessions.account(call.value("account").value_or(""));
  const std::lock_guard lock(account->login);
  sessions.number(*account);
  auto recorded = Player::play_login(context.play_request(), thread.cassettes, Client::of(*account));
  const auto playable = recorded && recorded->played ? recorded->played->playable : nullptr;
  if (playable && playable->error_code() != 0) return std::move(*recorded);
  const auto session = sessions.log_in(account, playable ? shapes_of(*playable, services.shapes) : services.shapes);
  context.set_session(session);
  if (context.scope_run()) services.scopes.minted(*session, context.scope_run());
  if (!playable) return built_in_login(call, *session, services.options.secure);
  recorded->prepared = playable->prepare(*session, recorded->played->match);
  return std::move(*recorded);
}

Reply log_out(const Services& services, RequestContext& context, ThreadState& thread) {
  auto recorded = play(services.player, context, thread);
  const bool is_refused =
      context.selection && recorded && recorded->played && recorded->played->playable->error_code() != 0;
  if (context.session().kind() != Session::Kind::anonymous && !is_refused) context.session().ended = true;
  return recorded ? std::move(*recorded) : Reply::json(Outcome::builtin, api::success_envelope());
}

}  // namespace

MintShapes recorded_shapes(const ThreadState& thread) {
  MintShapes shapes;
  visit_successes(thread, "API.Auth", "login", [&](SequenceLookup& lookup, const auto&, const auto& sequence) {
    const auto playable = lookup.playable(sequence, sequence.count - 1);
    if (playable->error_code() == 0) shapes = shapes_of(*playable, {});
    return playable->error_code() == 0;
  });
  return shapes;
}

std::optional<Reply> answer_login(const Services& services, RequestContext& context, ThreadState& thread) {
  if (!context.parsed().is_complete()) return std::nullopt;
  if (context.parsed().kind() == CallKind::login) return log_in(services, context, thread);
  if (context.parsed().kind() == CallKind::logout) return log_out(services, context, thread);
  return std::nullopt;
}

}  // namespace tapedeck::replay
