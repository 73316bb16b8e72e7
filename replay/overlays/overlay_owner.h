#pragma once
// Defines the names of the owners of counters and changes.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::replay {

class Scopes;

/// Returns the owner for a scope's run, which is given by its text.
[[nodiscard]] std::string overlay_owner_of_run(std::string_view run);
/// Returns the owner for a name of the control API, which is a session (display_name) or a run. Returns nothing for
/// other names.
[[nodiscard]] std::optional<std::string> overlay_owner_named(const Scopes& scopes, std::string_view name);
/// Returns the canonical form of an account's name. Names with equal parameter values in keys have the same form. A
/// long name is shortened in the same way as in accounts (short_name).
[[nodiscard]] std::string overlay_account_of(std::string_view name);
/// Returns a name for a header. Bytes that are not plain ASCII, and %, are percent-encoded.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace tapedeck::replay
