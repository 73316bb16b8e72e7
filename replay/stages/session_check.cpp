#include <memory>
#include <utility>

#include "api/envelope.h"
#include "api/scope_paths.h"
#include "http/message/browser_request.h"
#include "http/message/urlencoded.h"
#include "replay/chain/thread_state.h"
#include "replay/recorded/recorded_scope.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

using api::ErrorCode;

/// Returns the first cassette that has the complete scope, or else the first one that has it at all.
ScopeSelection selection_of(ThreadState& thread, const std::string& name) {
  ScopeSelection selection;
  for (const auto& lookup : thread.cassettes) {
    auto scope = lookup->scope(name);
    if (!scope || (selection && !scope->is_complete)) continue;
    const bool is_complete = scope->is_complete;
    selection = {std::move(scope), lookup->number()};
    if (is_complete) break;
  }
  return selection;
}

Reply plain_refusal(http::Response response) {
  Reply reply;
  reply.response = std::move(response);
  reply.response.headers.add("X-Tapedeck-Outcome", to_string(reply.outcome));
  return reply;
}

Reply too_many_params() {
  return plain_refusal(
      http::text_response(413, "a request has at most " + std::to_string(most_parameters) + " parameters\n"));
}

void enter_scope(const Services& services, RequestContext& context, ThreadState& thread, std::string_view id) {
  const auto& said = context.parsed().scope().scope;
  const auto& named = said ? said : services.options.scope;
  auto run = named ? services.scopes.run(*named) : id.empty() ? nullptr : services.scopes.of_id(id);
  if (!run) return;
  context.scope_is_recorded = services.options.end != nullptr && !services.played_scopes.has(run->name);
  if (!context.scope_is_recorded) context.selection = selection_of(thread, run->name);
  context.enter(std::move(run));
}

/// Returns null for an unknown ID that must not be adopted.
std::shared_ptr<const Session> session_of(const Services& services, const RequestContext& context,
                                          std::string_view id) {
  SessionTable& sessions = context.run().sessions;
  if (context.scope_run()) {
    if (auto known = sessions.find(id)) return known;
    const auto outside = services.scopes.outside().sessions.find(id);
    if (outside && outside->kind() == Session::Kind::minted) return sessions.take_in(*outside);
  }
  return services.options.auth == Auth::strict ? sessions.find(id) : sessions.find_or_adopt(id, services.shapes);
}

}  // namespace

ResponseNote note_of_login(const Services& services, const RequestContext& context) {
  if (!context.scope_is_recorded || context.parsed().session_step() != api::SessionStep::login) return nullptr;
  return [&services, run = context.scope_run()](const http::Response& response) {
    for (const std::string& id : api::login_ids(response)) {
      services.scopes.minted(*run->sessions.find_or_adopt(id, services.shapes), run);
    }
  };
}

void keep_under_scope(const RequestContext& context, Reply& reply) {
  if (context.parsed().scope_segment().empty()) return;
  const std::string_view host = context.parsed().request().headers.first("Host").value_or("");
  if (!reply.prepared) return api::keep_under(context.parsed().scope_segment(), host, reply.response.headers);
  const std::string_view head = reply.prepared->head;
  const std::size_t lines = head.find("\r\n") + 2;
  http::Headers headers = http::Headers::from_text(head.substr(lines));
  api::keep_under(context.parsed().scope_segment(), host, headers);
  reply.prepared = http::with_head(*reply.prepared, std::string(head.substr(0, lines)) + headers.to_text());
}

namespace {

/// Returns true if the session began without the handshake of the web login, or if the call has a valid hash, or was
/// recorded without one. A page that resumes its session has lost the keys for a hash.
bool has_valid_hash(const Services& services, RequestContext& context, ThreadState& thread) {
  weblogin::Channel& channel = context.session().channel();
  if (!channel.is_open() || context.parsed().kind() == CallKind::resumption) return true;
  const auto hash = context.parsed().request().headers.first("X-SYNO-HASH");
  return hash ? channel.accepts(*hash) : services.knowledge.needs_no_hash(context, thread);
}

/// Returns the error code if the call is refused.
std::optional<ErrorCode> refusal_of(const Services& services, RequestContext& context, ThreadState& thread, bool has_id,
                                    bool is_known) {
  const Session& session = context.session();
  // Most calls end here, because the following checks need the parsed call.
  const bool is_at_ease = services.options.auth == Auth::lenient && !session.ended;
  const ParsedRequest& parsed = context.parsed();
  const bool is_login = parsed.session_step() == api::SessionStep::login;
  if (is_at_ease || is_login || (parsed.is_call() && is_open_to_all(*parsed.call()))) return std::nullopt;
  const bool is_logout = parsed.session_step() == api::SessionStep::logout;
  if (!has_id) {
    const bool passes = !parsed.is_call() || services.options.auth == Auth::lenient || is_logout ||
                        services.knowledge.needs_no_session(context, thread);
    return passes ? std::nullopt : std::optional(ErrorCode::session_not_found);
  }
  if (!is_known || session.ended) return ErrorCode::session_not_found;
  const bool is_signed = services.options.auth == Auth::lenient || has_valid_hash(services, context, thread);
  return is_signed ? std::nullopt : std::optional(ErrorCode::session_not_found);
}

}  // namespace

std::optional<Reply> check_session(const Services& services, RequestContext& context, ThreadState& thread) {
  const ParsedRequest& parsed = context.parsed();
  const std::string_view id = parsed.session_id();
  if (!parsed.scope().is_malformed) enter_scope(services, context, thread, id);
  context.set_session(context.run().sessions.anonymous());
  if (parsed.scope().is_malformed) return plain_refusal(api::bad_scope_answer());
  if (parsed.has_too_many_params()) return too_many_params();
  if (parsed.kind() == CallKind::login && parsed.is_complete()) return std::nullopt;

  auto session = id.empty() ? nullptr : session_of(services, context, id);
  const bool is_known = session != nullptr;
  if (session) context.set_session(std::move(session));
  // A page or file needs no session, and a browser sends the cookie of an old one with it.
  const bool is_of_interface = parsed.is_call() || http::is_below_webapi(http::split_target(parsed.request().target).path);
  if (!is_of_interface || context.scope_is_recorded) return std::nullopt;
  const auto code = refusal_of(services, context, thread, !id.empty(), is_known);
  if (!code) return std::nullopt;
  if (auto reply = services.player.play_refusal(context.play_request(), thread.cassettes)) return reply;
  // Devices check whether the call exists before they check the session.
  const ErrorCode given =
      parsed.is_call() ? services.knowledge.certain_error(*parsed.call(), thread).value_or(*code) : *code;
  return Reply::json(Outcome::builtin, DeviceKnowledge::refusal_body(given, thread));
}

}  // namespace tapedeck::replay
