#pragma once
// Reads objects that contain a name and a value: {"key":"MYSQL_ROOT_PASSWORD","value":"…"}.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a key such as "key" or "name", in any case, whose value is the name in such an object.
[[nodiscard]] bool says_name(std::string_view key);

/// Returns the name in the JSON object whose bracket is at `object`, or nothing. The name is a string member of the
/// object itself, within 4 KiB.
[[nodiscard]] std::optional<std::string> pair_name(std::string_view text, std::size_t object);

}  // namespace tapedeck::scrubbers
