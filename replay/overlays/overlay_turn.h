#pragma once
// What overlays have to do with one request on its way: between the chain's two looks at it.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "replay/overlays/overlay_set.h"

namespace tapedeck::replay {

class Visit;
class OverlayStore;
class Scopes;
struct ThreadState;

/// One compound part whose success some `after` waits for.
struct NotedPart {
  std::size_t place = 0;
  OverlaySet::Candidates candidates;
};

struct OverlayTurn {
  std::shared_ptr<const OverlaySet> set;  ///< keeps what the candidates point to
  std::string owner;                      ///< whose counts
  OverlaySet::Candidates candidates;
  std::vector<NotedPart> parts;  ///< of a compound that is answered whole
  OverlayComposition composition;
  std::size_t longest_body = 0;  ///< of the response
};

/// Makes the thread see the overlays and effects that are in force when the request comes; its parts see the same.
void look_at_store(const Visit& visit, const OverlayStore& store, ThreadState& thread);
/// Whose counts: the account's; the id's, where it never logged in; of the scope's run, in a scope.
[[nodiscard]] std::string overlay_owner(const Visit& visit);
/// The same of a run, by its text.
[[nodiscard]] std::string overlay_owner_of_run(std::string_view run);
/// The same of what the control API calls by that name: a session (display_name) or a run; nothing: neither.
[[nodiscard]] std::optional<std::string> overlay_owner_named(const Scopes& scopes, std::string_view name);
/// Who asks, as `account = "…"` means it: of a login the account that it names. Empty for nobody.
[[nodiscard]] std::string overlay_account(const Visit& visit);
/// An account by the name that a client or a rule gives it: all that are one as values of a key are one here, and a
/// long one is kept as accounts are (short_name).
[[nodiscard]] std::string overlay_account_of(std::string_view name);
/// A name as a header shows it: what is not plain ASCII is percent-encoded, and so is %.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace tapedeck::replay
