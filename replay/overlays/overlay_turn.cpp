#include "replay/overlays/overlay_turn.h"

#include <array>

#include "replay/overlays/overlay_store.h"
#include "replay/sessions/scopes.h"
#include "replay/thread_state.h"
#include "replay/visit.h"

namespace tapedeck::replay {

void look_at_store(const Visit& visit, const OverlayStore& store, ThreadState& thread) {
  if (visit.asked().part() || thread.overlay_version == store.version()) return;
  thread.overlay_version = store.version();
  thread.overlays = store.current();
}

std::string overlay_owner(const Visit& visit) {
  if (visit.run().text) return overlay_owner_of_run(*visit.run().text);
  const std::string account = overlay_account(visit);
  if (!account.empty()) return "account " + account;
  return visit.session().kind() == Session::Kind::adopted ? "id " + visit.session().id() : "nobody";
}

std::optional<std::string> overlay_owner_named(const Scopes& scopes, std::string_view name) {
  if (scopes.find(name) != nullptr) return overlay_owner_of_run(name);
  const auto listed = scopes.by_number(name);
  if (!listed) return std::nullopt;
  if (listed->scope) return overlay_owner_of_run(*listed->scope);
  const Session& session = *listed->session;
  if (session.kind() == Session::Kind::minted) return "account " + overlay_account_of(session.account().name);
  return session.kind() == Session::Kind::adopted ? "id " + session.id() : "nobody";
}

std::string overlay_owner_of_run(std::string_view run) { return "scope " + std::string(run); }

std::string overlay_account(const Visit& visit) {
  if (visit.asked().kind() == CallKind::login && visit.asked().call() != nullptr) {
    return overlay_account_of(visit.asked().call()->value("account").value_or(""));
  }
  const bool has_logged_in = visit.session().kind() == Session::Kind::minted;
  return has_logged_in ? overlay_account_of(visit.session().account().name) : std::string();
}

std::string overlay_account_of(std::string_view name) { return api::canonical_value(short_name(name)); }

std::string shown_name(std::string_view name) {
  std::string shown;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f && c != '%') {
      shown += c;
    } else {
      base::append_hex(shown.append("%"), c, true);
    }
  }
  return shown;
}

}  // namespace tapedeck::replay
