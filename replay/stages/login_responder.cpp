#include "replay/stages/login_responder.h"

#include "api/json_spans.h"
#include "replay/chain/thread_state.h"
#include "replay/stages/player_stage.h"

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

}  // namespace

MintShapes shapes_of(const Playable& login, MintShapes otherwise) {
  take_shape(otherwise, login.head_rows());
  take_shape(otherwise, login.body_rows());
  return otherwise;
}

MintShapes recorded_shapes(const ThreadState& thread) {
  constexpr std::size_t enough = 64;
  for (const auto& lookup : thread.cassettes) {
    const cassettes::CassetteReader& reader = lookup->reader();
    std::vector<cassettes::ScopedKey> keys;
    for (auto& key : reader.keys_of("API.Auth", "login", enough)) keys.push_back({{}, std::move(key)});
    for (auto& key : reader.scoped_keys_of("API.Auth", "login", enough)) keys.push_back(std::move(key));
    for (const cassettes::ScopedKey& key : keys) {
      for (const auto& sequence : reader.sequences(key.key.text, key.scope)) {
        if (!sequence.succeeded || sequence.count == 0) continue;
        const auto playable = lookup->playable(sequence, sequence.count - 1);
        if (playable->error_code() == 0) return shapes_of(*playable, {});
      }
    }
  }
  return {};
}

StageResult LoginResponder::answer(RequestContext& context, ThreadState& thread) {
  if (!context.parsed().is_complete()) return pass_on();
  if (context.parsed().kind() == CallKind::login) return reply_with(log_in(context, thread));
  if (context.parsed().kind() == CallKind::logout) return reply_with(log_out(context, thread));
  return pass_on();
}

Reply LoginResponder::log_in(RequestContext& context, ThreadState& thread) {
  const api::Call& call = *context.parsed().call();
  SessionTable& sessions = context.run().sessions;
  const auto account = sessions.account(call.value("account").value_or(""));
  const std::lock_guard lock(account->login);
  sessions.number(*account);
  const LoginOrdinal ordinal{account->logins, account->number};
  auto recorded = Reply::of(Player::play_login(context.play_request(), thread.cassettes, ordinal));
  const auto playable = recorded && recorded->played ? recorded->played->playable : nullptr;
  if (playable && playable->error_code() != 0) return std::move(*recorded);
  const auto session = sessions.log_in(account, playable ? shapes_of(*playable, shapes_) : shapes_);
  context.set_session(session);
  if (context.scope_run()) scopes_.minted(*session, context.scope_run());
  if (!playable) return built_in_login(call, *session, options_.secure);
  recorded->prepared = playable->prepare(*session, recorded->played->match);
  return std::move(*recorded);
}

Reply LoginResponder::log_out(RequestContext& context, ThreadState& thread) {
  auto recorded = play(player_, context, thread);
  const bool is_refused =
      context.selection && recorded && recorded->played && recorded->played->playable->error_code() != 0;
  if (context.session().kind() != Session::Kind::anonymous && !is_refused) context.session().ended = true;
  return recorded ? std::move(*recorded) : Reply::json(Outcome::builtin, api::success_envelope());
}

}  // namespace tapedeck::replay
