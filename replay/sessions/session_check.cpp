#include "replay/sessions/session_check.h"

#include <memory>
#include <utility>

#include "api/login_ids.h"
#include "api/scope_paths.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {
namespace {

/// The first cassette that has the scope whole, or else the first that has it.
Tape tape_of(ThreadState& thread, const std::string& name) {
  Tape tape;
  for (const auto& deck : thread.decks) {
    auto scope = deck->scope(name);
    if (!scope || (tape && !scope->is_complete)) continue;
    const bool is_complete = scope->is_complete;
    tape = {std::move(scope), deck->number()};
    if (is_complete) break;
  }
  return tape;
}

Reply bad_scope() {
  Reply reply;
  reply.response = api::bad_scope_answer();
  reply.response.headers.add("X-Tapedeck-Outcome", to_string(reply.outcome));
  return reply;
}

Reply too_many_params() {
  Reply reply;
  reply.response.status = 413;
  reply.response.reason = http::reason_phrase(413);
  reply.response.headers.add("Content-Type", "text/plain; charset=utf-8");
  reply.response.headers.add("X-Tapedeck-Outcome", to_string(reply.outcome));
  reply.response.body = "a request has at most " + std::to_string(most_parameters) + " parameters\n";
  return reply;
}

}  // namespace

using api::ErrorCode;

std::optional<Reply> SessionCheck::answer(Visit& visit, ThreadState& thread) {
  const Resolution& asked = visit.asked();
  const std::string_view id = options_.auth == Auth::off ? std::string_view() : asked.session_id();
  if (!asked.scope().is_malformed) enter_scope(visit, thread, id);
  visit.set_session(visit.run().sessions.anonymous());
  if (asked.scope().is_malformed) return bad_scope();
  if (asked.has_too_many_params()) return too_many_params();
  if (asked.kind() == CallKind::login && asked.is_complete()) return std::nullopt;

  auto session = id.empty() ? nullptr : session_of(visit, id);
  const bool is_known = session != nullptr;
  if (session) visit.set_session(std::move(session));
  if (!asked.is_call() || visit.scope_is_recorded) return std::nullopt;
  const auto code = refusal(visit, thread, !id.empty(), is_known);
  if (!code) return std::nullopt;
  if (auto reply = recorded_refusal(visit, thread)) return reply;
  // Devices look whether there is such a call before they look at who asks.
  return Reply::error(Outcome::builtin, knowledge_.certain_error(*asked.call(), thread).value_or(*code));
}

void SessionCheck::enter_scope(Visit& visit, ThreadState& thread, std::string_view id) {
  const auto& said = visit.asked().scope().scope;
  auto run = said ? scopes_.run(*said) : scopes_.current();
  if (!run && !id.empty()) run = scopes_.of_id(id);
  if (!run) return;
  thread.play(run->tapes(thread.newest));
  visit.scope_is_recorded = options_.end != nullptr && !played_.has(run->name);
  if (!visit.scope_is_recorded) visit.tape = tape_of(thread, run->name);
  visit.enter(std::move(run));
}

std::optional<Reply> SessionCheck::recorded_refusal(Visit& visit, ThreadState& thread) {
  if (!visit.tape) return std::nullopt;
  visit.wants_refusal = true;
  auto reply = chain_.ask(Stage::player, visit, thread);
  visit.wants_refusal = false;
  return reply;
}

std::shared_ptr<const Session> SessionCheck::session_of(const Visit& visit, std::string_view id) {
  SessionTable& sessions = visit.run().sessions;
  if (visit.scope_run()) {
    if (auto known = sessions.find(id)) return known;
    const auto outside = scopes_.outside().sessions.find(id);
    if (outside && outside->kind() == Session::Kind::minted) return sessions.take_in(*outside);
  }
  return options_.auth == Auth::strict ? sessions.find(id) : sessions.find_or_adopt(id, shapes_);
}

void SessionCheck::note_ids(const Visit& visit, const Reply& reply) {
  if (visit.asked().kind() != CallKind::login) return;
  for (const std::string& id : api::login_ids(reply.whole())) {
    scopes_.minted(*visit.run().sessions.find_or_adopt(id, shapes_), visit.scope_run());
  }
}

/// What the chain's end answers is under its segment already.
void SessionCheck::change(Visit& visit, ThreadState& /*thread*/, Reply& reply) {
  if (visit.scope_is_recorded && visit.goes_to_end) return note_ids(visit, reply);
  if (visit.asked().scope_segment().empty()) return;
  const std::string_view host = visit.asked().request().headers.first("Host").value_or("");
  if (!reply.prepared) return api::keep_under(visit.asked().scope_segment(), host, reply.response.headers);
  const std::string_view head = reply.prepared->head;
  const std::size_t lines = head.find("\r\n") + 2;
  http::Headers headers = http::Headers::from_text(head.substr(lines));
  api::keep_under(visit.asked().scope_segment(), host, headers);
  using Kept = std::pair<std::string, std::shared_ptr<const void>>;
  const auto kept =
      std::make_shared<const Kept>(std::string(head.substr(0, lines)) + headers.to_text(), reply.prepared->owner);
  reply.prepared->head = kept->first;
  reply.prepared->owner = kept;
}

std::optional<ErrorCode> SessionCheck::refusal(Visit& visit, ThreadState& thread, bool has_id, bool is_known) {
  if (options_.auth == Auth::off) return std::nullopt;
  const Session& session = visit.session();
  // Most calls end here; what follows looks at the call itself.
  const bool is_at_ease = options_.auth == Auth::lenient && !session.ended && !options_.session_calls;
  if (is_at_ease || is_open_to_all(*visit.asked().call())) return std::nullopt;
  const bool is_logout = visit.asked().kind() == CallKind::logout;
  if (!has_id) {
    const bool passes = options_.auth == Auth::lenient || is_logout || knowledge_.needs_no_session(visit, thread);
    return passes ? std::nullopt : std::optional(ErrorCode::session_not_found);
  }
  if (!is_known || session.ended) return ErrorCode::session_not_found;
  if (!options_.session_calls || is_logout || ++session.calls <= *options_.session_calls) return std::nullopt;
  session.ended = true;
  return ErrorCode::session_timed_out;
}

}  // namespace tapedeck::replay
