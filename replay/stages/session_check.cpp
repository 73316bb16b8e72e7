#include <memory>
#include <utility>

#include "api/envelope.h"
#include "api/scope_paths.h"
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

void enter_scope(const StageServices& parts, RequestContext& context, ThreadState& thread, std::string_view id) {
  const auto& said = context.parsed().scope().scope;
  const auto& named = said ? said : parts.options.scope;
  auto run = named ? parts.scopes.run(*named) : id.empty() ? nullptr : parts.scopes.of_id(id);
  if (!run) return;
  context.scope_is_recorded = parts.options.end != nullptr && !parts.played_scopes.has(run->name);
  if (!context.scope_is_recorded) context.selection = selection_of(thread, run->name);
  context.enter(std::move(run));
}

/// Returns null for an unknown ID that must not be adopted.
std::shared_ptr<const Session> session_of(const StageServices& parts, const RequestContext& context,
                                          std::string_view id) {
  SessionTable& sessions = context.run().sessions;
  if (context.scope_run()) {
    if (auto known = sessions.find(id)) return known;
    const auto outside = parts.scopes.outside().sessions.find(id);
    if (outside && outside->kind() == Session::Kind::minted) return sessions.take_in(*outside);
  }
  return parts.options.auth == Auth::strict ? sessions.find(id) : sessions.find_or_adopt(id, parts.shapes);
}

/// Assigns IDs that the device returns in a scope to that scope.
void note_ids(const StageServices& parts, const RequestContext& context, const Reply& reply) {
  if (context.parsed().kind() != CallKind::login) return;
  for (const std::string& id : api::login_ids(reply.whole())) {
    parts.scopes.minted(*context.run().sessions.find_or_adopt(id, parts.shapes), context.scope_run());
  }
}

/// Keeps redirects and cookies below the scope path of the request. Responses from the chain end are below it already.
void keep_under_scope(const StageServices& parts, const RequestContext& context, ThreadState& /*thread*/,
                      Reply& reply) {
  if (context.scope_is_recorded && context.is_at_end) return note_ids(parts, context, reply);
  if (context.parsed().scope_segment().empty()) return;
  const std::string_view host = context.parsed().request().headers.first("Host").value_or("");
  if (!reply.prepared) return api::keep_under(context.parsed().scope_segment(), host, reply.response.headers);
  const std::string_view head = reply.prepared->head;
  const std::size_t lines = head.find("\r\n") + 2;
  http::Headers headers = http::Headers::from_text(head.substr(lines));
  api::keep_under(context.parsed().scope_segment(), host, headers);
  reply.prepared = http::with_head(*reply.prepared, std::string(head.substr(0, lines)) + headers.to_text());
}

/// Returns the error code if the call is refused.
std::optional<ErrorCode> refusal_of(const StageServices& parts, RequestContext& context, ThreadState& thread,
                                    bool has_id, bool is_known) {
  const Session& session = context.session();
  // Most calls end here, because the following checks need the parsed call.
  const bool is_at_ease = parts.options.auth == Auth::lenient && !session.ended;
  if (is_at_ease || is_open_to_all(*context.parsed().call())) return std::nullopt;
  const bool is_logout = context.parsed().kind() == CallKind::logout;
  if (!has_id) {
    const bool passes =
        parts.options.auth == Auth::lenient || is_logout || parts.knowledge.needs_no_session(context, thread);
    return passes ? std::nullopt : std::optional(ErrorCode::session_not_found);
  }
  if (!is_known || session.ended) return ErrorCode::session_not_found;
  return std::nullopt;
}

StageResult check_session(const StageServices& parts, RequestContext& context, ThreadState& thread) {
  const ParsedRequest& parsed = context.parsed();
  const std::string_view id = parsed.session_id();
  if (!parsed.scope().is_malformed) enter_scope(parts, context, thread, id);
  context.set_session(context.run().sessions.anonymous());
  if (parsed.scope().is_malformed) return reply_with(plain_refusal(api::bad_scope_answer()));
  if (parsed.has_too_many_params()) return reply_with(too_many_params());
  if (parsed.kind() == CallKind::login && parsed.is_complete()) return pass_on();

  auto session = id.empty() ? nullptr : session_of(parts, context, id);
  const bool is_known = session != nullptr;
  if (session) context.set_session(std::move(session));
  if (!parsed.is_call() || context.scope_is_recorded) return pass_on();
  const auto code = refusal_of(parts, context, thread, !id.empty(), is_known);
  if (!code) return pass_on();
  if (auto reply = Reply::of(parts.player.play_refusal(context.play_request(), thread.cassettes)))
    return reply_with(std::move(reply));
  // Devices check whether the call exists before they check the session.
  return reply_with(
      Reply::error(Outcome::builtin, parts.knowledge.certain_error(*parsed.call(), thread).value_or(*code)));
}

}  // namespace

Link session_link(const StageServices& parts) {
  return {Stage::session, bound(parts, check_session), bound(parts, keep_under_scope)};
}

}  // namespace tapedeck::replay
