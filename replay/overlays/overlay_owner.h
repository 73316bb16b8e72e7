#pragma once
// Names of the owners of counters and changes.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::replay {

class Scopes;

/// Returns the owner for a scope's run, by its text.
[[nodiscard]] std::string overlay_owner_of_run(std::string_view run);
/// Returns the owner for a name of the control API: a session (display_name) or a run; nothing for others.
[[nodiscard]] std::optional<std::string> overlay_owner_named(const Scopes& scopes, std::string_view name);
/// Returns an account's name in one form: names that are equal as values of keys are equal, and a long one is shortened
/// like accounts (short_name).
[[nodiscard]] std::string overlay_account_of(std::string_view name);
/// Returns a name for a header: bytes that are not plain ASCII, and %, are percent-encoded.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace tapedeck::replay
