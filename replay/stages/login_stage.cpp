#include "api/json_spans.h"
#include "api/session_request.h"
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
    if (scrubbers::is_session_id(redaction)) shapes.session_id = redaction.shape;
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

/// Creates the session of an account that begins with a recorded response, and makes it the session of the request.
/// Requires that account->login is locked.
void begin(const Services& services, RequestContext& context, const std::shared_ptr<Account>& account, Reply& reply,
           bool has_handshake, std::string_view password) {
  const Playable& playable = *reply.played->playable;
  const auto session =
      context.run().sessions.log_in(account, shapes_of(playable, services.shapes), has_handshake, password);
  context.set_session(session);
  if (context.scope_run()) services.scopes.minted(*session, context.scope_run());
  reply.prepared = playable.prepare(*session, reply.played->match);
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
                                       handshake.has_value(), sign_in.password);
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
  if (reply) begin_played_session(services, context, *reply, handshake.has_value());
  if (!reply) {
    if (!handshake || is_recorded(context.not_played)) return std::nullopt;
    reply = Reply::json(Outcome::builtin, api::success_envelope(resumed_data(context.session(), *handshake)));
    channel.open(*handshake);
  } else if (write_message(*reply, Pattern::kk, handshake) && handshake) {
    context.session().channel().open(*handshake);
  }
  return reply;
}

/// Responds to a recorded login of another API, or of none.
std::optional<Reply> log_in_to_application(const Services& services, RequestContext& context, ThreadState& thread) {
  const ParsedRequest& parsed = context.parsed();
  const auto account = context.run().sessions.account(api::login_account(parsed.request(), parsed.call()));
  const std::lock_guard lock(account->login);
  if (!Player::has(context.play_request(), thread.cassettes)) return std::nullopt;
  context.run().sessions.number(*account);
  auto recorded = Player::play_login(context.play_request(), thread.cassettes, Client::of(*account, false));
  if (!recorded || !recorded->played) return std::nullopt;
  const Playable& playable = *recorded->played->playable;
  if (playable.error_code().value_or(0) == 0 && playable.begins_session()) {
    begin(services, context, account, *recorded, false, api::login_password(parsed.request(), parsed.call()));
  }
  return recorded;
}

/// Ends the session of the request. Only a logout of API.Auth has a built-in response.
std::optional<Reply> log_out(const Services& services, RequestContext& context, ThreadState& thread) {
  auto recorded = play(services.player, context, thread);
  const bool is_of_device = context.parsed().kind() == CallKind::logout;
  const bool is_error = recorded && recorded->played && recorded->played->playable->error_code().value_or(0) != 0;
  const bool is_refused = is_of_device ? context.selection && is_error : !recorded || is_error;
  if (context.session().kind() != Session::Kind::anonymous && !is_refused) context.session().ended = true;
  if (!recorded && is_of_device) return Reply::json(Outcome::builtin, api::success_envelope());
  return recorded;
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
  const ParsedRequest& parsed = context.parsed();
  if (parsed.is_call() && !parsed.is_complete()) return std::nullopt;
  if (parsed.kind() == CallKind::login) return log_in(services, context, thread);
  if (parsed.kind() == CallKind::resumption) return resume(services, context, thread);
  if (parsed.session_step() == api::SessionStep::login) return log_in_to_application(services, context, thread);
  if (parsed.session_step() == api::SessionStep::logout) return log_out(services, context, thread);
  return std::nullopt;
}

void begin_played_session(const Services& services, RequestContext& context, Reply& reply, bool has_handshake) {
  if (!reply.played || !reply.played->playable->begins_session() || context.parsed().part()) return;
  const Session& before = context.session();
  const bool has_account = before.kind() == Session::Kind::minted && !before.account().name.empty();
  const auto account = context.run().sessions.account(has_account ? before.account().name : std::string());
  const std::lock_guard lock(account->login);
  begin(services, context, account, reply, has_handshake, before.login_secret);
}

}  // namespace tapedeck::replay
