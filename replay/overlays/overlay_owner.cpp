#include "replay/overlays/overlay_owner.h"

#include "api/call.h"
#include "base/text.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

std::string overlay_owner_of_run(std::string_view run) { return "scope " + std::string(run); }

std::optional<std::string> overlay_owner_named(const Scopes& scopes, std::string_view name) {
  if (scopes.find(name) != nullptr) return overlay_owner_of_run(name);
  const auto listed = scopes.by_number(name);
  if (!listed) return std::nullopt;
  if (listed->scope) return overlay_owner_of_run(*listed->scope);
  const Session& session = *listed->session;
  if (session.kind() == Session::Kind::minted) return "account " + overlay_account_of(session.account().name);
  return session.kind() == Session::Kind::adopted ? "id " + session.id() : "nobody";
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
