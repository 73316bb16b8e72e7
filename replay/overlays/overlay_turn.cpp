#include "replay/overlays/overlay_turn.h"

#include <array>

#include "replay/visit.h"

namespace tapedeck::replay {

std::string overlay_owner(const Visit& visit) {
  if (visit.run().text) return overlay_owner_of_run(*visit.run().text);
  const std::string account = overlay_account(visit);
  if (!account.empty()) return "account " + account;
  return visit.session().kind() == Session::Kind::adopted ? "id " + visit.session().id() : "nobody";
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
