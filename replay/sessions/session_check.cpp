#include "replay/sessions/session_check.h"

namespace tapedeck::replay {

using api::ErrorCode;

std::optional<Reply> SessionCheck::answer(Visit& visit, ThreadState& thread) {
  const Resolution& asked = visit.asked();
  if (const auto name = asked.request().headers.first("X-Tapedeck-Session"); name && !name->empty()) {
    visit.named_cursors = sessions_.named(*name);
  }
  visit.set_session(sessions_.anonymous());
  if (asked.kind() == CallKind::login && asked.is_complete()) return std::nullopt;

  const std::string_view id = options_.auth == Auth::off ? std::string_view() : asked.session_id();
  bool is_known = false;
  if (!id.empty()) {
    auto session = options_.auth == Auth::strict ? sessions_.find(id) : sessions_.find_or_adopt(id, shapes_);
    is_known = session != nullptr;
    if (session) visit.set_session(std::move(session));
  }
  if (!asked.is_call()) return std::nullopt;
  const auto code = refusal(visit, thread, !id.empty(), is_known);
  if (!code) return std::nullopt;
  // Devices look whether there is such a call before they look at who asks.
  return Reply::error(Outcome::builtin, knowledge_.certain_error(*asked.call(), thread).value_or(*code));
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
