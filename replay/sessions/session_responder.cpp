#include "replay/sessions/session_responder.h"

#include <array>

#include "api/json_spans.h"

namespace tapedeck::replay {
namespace {

using api::ErrorCode;
using scrubbers::Redaction;
using scrubbers::SecretClass;

bool is_yes(const api::Call& call, std::string_view param) {
  const std::string value = api::canonical_value(call.value(param).value_or(""));
  return value == "yes" || value == "true" || value == "1";
}

/// What devices let anybody call: discovery and what comes before a login (field notes, "Discovery", "Login").
bool is_open_to_all(const api::Call& call) {
  const std::string_view rest = call.name().rest;
  return call.is_info() || rest == "API.Encryption" || rest == "API.Auth.Type" || rest == "API.Auth.UIConfig";
}

/// The answer's data as devices order it (field notes, "Login and sessions").
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

Reply played(const std::shared_ptr<const Playable>& playable, const Session& session) {
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.prepared = playable->prepare(session, {});
  reply.played = PlayedRecording{playable, 0, 0, {}};
  return reply;
}

}  // namespace

MintShapes shapes_of(const Playable& login, MintShapes otherwise) {
  take_shape(otherwise, login.head_rows());
  take_shape(otherwise, login.body_rows());
  return otherwise;
}

MintShapes recorded_shapes(const ThreadState& thread) {
  constexpr std::size_t enough = 64;
  for (const auto& deck : thread.decks) {
    for (const auto& key : deck->reader().keys_of("API.Auth", "login", enough)) {
      for (const auto& sequence : deck->reader().sequences(key.text)) {
        if (!sequence.succeeded || sequence.count == 0) continue;
        const auto playable = deck->playable(sequence, sequence.count - 1);
        if (playable->error_code() == 0) return shapes_of(*playable, {});
      }
    }
  }
  return {};
}

std::optional<Reply> SessionResponder::answer(Asked& asked, ThreadState& thread) {
  if (const auto name = asked.request().headers.first("X-Tapedeck-Session"); name && !name->empty()) {
    asked.named_cursors = sessions_.named(*name);
  }
  asked.set_session(sessions_.anonymous());
  if (asked.kind() == CallKind::login && asked.is_complete()) return log_in(asked, thread);

  const auto id = options_.auth == Auth::off ? std::nullopt : asked.presented_id();
  bool is_known = false;
  if (id) {
    auto session = options_.auth == Auth::strict ? sessions_.find(*id) : sessions_.find_or_adopt(*id, shapes_);
    is_known = session != nullptr;
    if (session) asked.set_session(std::move(session));
  }
  if (!asked.is_call()) return std::nullopt;
  if (const auto code = refusal(asked, thread, id.has_value(), is_known)) {
    return Reply::error(Outcome::builtin, knowledge_.certain_error(*asked.call(), thread).value_or(*code));
  }
  if (asked.kind() == CallKind::logout && asked.is_complete()) return log_out(asked, thread);
  return std::nullopt;
}

std::optional<ErrorCode> SessionResponder::refusal(Asked& asked, ThreadState& thread, bool has_id, bool is_known) {
  const bool is_logout = asked.kind() == CallKind::logout;
  if (options_.auth == Auth::off) return std::nullopt;
  // Most calls end here; what follows looks at the call itself.
  const bool is_at_ease = options_.auth == Auth::lenient && !asked.session().ended && !options_.session_calls;
  if (is_at_ease || is_open_to_all(*asked.call())) return std::nullopt;
  if (!has_id) {
    const bool passes = options_.auth == Auth::lenient || is_logout || player_.needs_no_session(asked, thread);
    return passes ? std::nullopt : std::optional(ErrorCode::session_not_found);
  }
  if (!is_known || asked.session().ended) return ErrorCode::session_not_found;
  if (!options_.session_calls || is_logout) return std::nullopt;
  if (++asked.session().calls <= *options_.session_calls) return std::nullopt;
  asked.session().ended = true;
  return ErrorCode::session_timed_out;
}

Reply SessionResponder::log_in(Asked& asked, ThreadState& thread) {
  const api::Call& call = *asked.call();
  const auto account = sessions_.account(call.value("account").value_or(""));
  const std::lock_guard lock(account->login);
  const auto recorded = player_.login(asked, thread, account->logins);
  if (recorded && recorded->error_code() != 0) return played(recorded, *sessions_.anonymous());
  const auto session = sessions_.log_in(account, recorded ? shapes_of(*recorded, shapes_) : shapes_);
  asked.set_session(session);
  return recorded ? played(recorded, *session) : built_in_login(call, *session, options_.secure);
}

Reply SessionResponder::log_out(Asked& asked, ThreadState& thread) {
  auto recorded = player_.answer(asked, thread);
  if (asked.session().kind() != Session::Kind::anonymous) asked.session().ended = true;
  return recorded ? std::move(*recorded) : Reply::json(Outcome::builtin, api::success_envelope());
}

}  // namespace tapedeck::replay
