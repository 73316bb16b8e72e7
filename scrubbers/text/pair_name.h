#pragma once
// Name-and-value objects: {"key":"MYSQL_ROOT_PASSWORD","value":"…"}.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::scrubbers {

/// True for "key", "name" and the like, without case: what such an object's name stands behind.
[[nodiscard]] bool says_name(std::string_view key);

/// The name that the JSON object says of its value, whose bracket is at `object`: a string behind such a key, not
/// deeper in it, within 4 KiB.
[[nodiscard]] std::optional<std::string> pair_name(std::string_view text, std::size_t object);

}  // namespace tapedeck::scrubbers
