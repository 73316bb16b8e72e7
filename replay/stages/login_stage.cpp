#include "api/json_spans.h"
#include "replay/chain/thread_state.h"
#include "replay/recorded/playable.h"
#include "replay/stages/web_login.h"
#include "replay/weblogin/base64url.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Redaction;
using scrubbers::SecretClass;
using weblogin::Handshake;
using weblogin::Pattern;

bool is_yes(const api::Call& call, std::string_view param) {
  const std::string value = api::canonical_value(call.value(param).value_or(""));
  return value == "yes" || value == "true" || value == "1";
}

/// Returns the response data in the order of devices (docs/device-notes.md, "Login and sessions").
std::string login_data(const api::Call& call, const Session& session, const std::string& account,
                       const std::optional<Handshake>& handshake) {
  std::string data = "{\"account\":" + api::json_quoted(account);
  if (is_yes(call, "enable_device_token")) data.append(",\"did\":").append(api::json_quoted(session.device_id()));
  if (handshake) data.append(",\"ik_message\":").append(api::json_quoted(weblogin::to_base64url(handshake->message)));
  data.append(",\"is_portal_port\":false,\"sid\":").append(api::json_quoted(session.id()));
  if (is_yes(call, "enable_syno_token")) data.append(",\"synotoken\":").append(api::json_quoted(session.csrf_token()));
  return data + "}";
}

Reply built_in_login(const api::Call& call, const Session& session, const std::string& account,
                     const std::optional<Handshake>& handshake, bool secure) {
  Reply reply = Reply::json(Outcome::builtin, api::success_envelope(login_data(call, session, account, handshake)));
  const std::string attributes = secure ? ";path=/;secure;HttpOnly" : ";path=/;HttpOnly";
  reply.response.headers.add("Set-Cookie", "id=" + session.id() + attributes);
  if (is_yes(call, "enable_device_token")) {
    reply.response.headers.add("Set-Cookie", "did=" + session.device_id() + attributes);
  }
  return reply;
}

std::string resumed_data(const Session& session, const Handshake& handshake) {
  return "{\"kk_message\":" + api::json_quoted(weblogin::to_base64url(handshake.message)) +
         ",\"synotoken\":" + api::json_quoted(session.csrf_token()) + "}";
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

/// Returns a text that identifies the account's next login. Requires that account.login is locked.
std::string next_session_name(const Account& account) {
  return "login " + std::to_string(account.logins) + " of " + account.name +
         (account.scope ? " in " + *account.scope : "");
}

Reply log_in(const Services& services, RequestContext& context, ThreadState& thread) {
  const api::Call& call = *context.parsed().call();
  SignIn sign_in = sign_in_of(services, call, Pattern::ik);
  if (!sign_in.problem.empty()) return refused_sign_in(services, context, sign_in);
  SessionTable& sessions = context.run().sessions;
  const auto account = sessions.account(sign_in.account);
  const std::lock_guard lock(account->login);
  std::optional<Handshake> handshake;
  if (sign_in.has_handshake()) {
    handshake = shake_hands(services, sign_in, Pattern::ik, {}, next_session_name(*account));
    if (!handshake) return refused_sign_in(services, context, sign_in);
  }
  sessions.number(*account);
  auto recorded =
      Player::play_login(context.play_request(), thread.cassettes, Client::of(*account, handshake.has_value()));
  const auto playable = recorded && recorded->played ? recorded->played->playable : nullptr;
  if (playable && playable->error_code() != 0) return std::move(*recorded);
  const auto session = sessions.log_in(account, playable ? shapes_of(*playable, services.shapes) : services.shapes,
                                       handshake.has_value());
  context.set_session(session);
  if (context.scope_run()) services.scopes.minted(*session, context.scope_run());
  if (playable) recorded->prepared = playable->prepare(*session, recorded->played->match);
  const bool is_answered = !playable || write_message(*recorded, Pattern::ik, handshake);
  if (handshake && is_answered) session->channel().open(*handshake);
  return playable ? std::move(*recorded)
                  : built_in_login(call, *session, sign_in.account, handshake, services.options.secure);
}

/// Continues a session after a reload of its page, with another handshake.
std::optional<Reply> resume(const Services& services, RequestContext& context, ThreadState& thread) {
  SignIn sign_in = sign_in_of(services, *context.parsed().call(), Pattern::kk);
  weblogin::Channel& channel = context.session().channel();
  std::optional<Handshake> handshake;
  if (sign_in.problem.empty() && sign_in.has_handshake()) {
    const std::string session = context.session().id() + " " + std::to_string(channel.handshakes());
    if (std::string client_key = channel.client_key(); !client_key.empty()) {
      handshake = shake_hands(services, sign_in, Pattern::kk, std::move(client_key), session);
    } else {
      sign_in.problem = "its session did not begin with a handshake in this run, so the client's key is unknown";
    }
  }
  if (!sign_in.problem.empty()) return refused_sign_in(services, context, sign_in);
  auto reply = play(services.player, context, thread);
  if (!reply) {
    if (!handshake || is_recorded(context.not_played)) return std::nullopt;
    reply = Reply::json(Outcome::builtin, api::success_envelope(resumed_data(context.session(), *handshake)));
    channel.open(*handshake);
  } else if (write_message(*reply, Pattern::kk, handshake) && handshake) {
    channel.open(*handshake);
  }
  return reply;
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
  if (context.parsed().kind() == CallKind::resumption) return resume(services, context, thread);
  return std::nullopt;
}

}  // namespace tapedeck::replay
