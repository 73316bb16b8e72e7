#pragma once
// Whose counts and changes overlays and effects keep, as names.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::replay {

class Scopes;

/// Of a scope's run, by its text.
[[nodiscard]] std::string overlay_owner_of_run(std::string_view run);
/// Of what the control API calls by that name: a session (display_name) or a run; nothing: neither.
[[nodiscard]] std::optional<std::string> overlay_owner_named(const Scopes& scopes, std::string_view name);
/// An account by the name that a client or a rule gives it: all that are one as values of a key are one here, and a
/// long one is kept as accounts are (short_name).
[[nodiscard]] std::string overlay_account_of(std::string_view name);
/// A name as a header shows it: what is not plain ASCII is percent-encoded, and so is %.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace tapedeck::replay
