#pragma once
// Compares two JSON texts by their content.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/diff/change.h"

namespace tapedeck::tools {

/// Returns the value, with integers beyond 64 bits as binary values that contain their digits, so that those that
/// differ are not equal. Returns nothing for text that is not JSON or is nested so deeply that parsing could overflow
/// the stack.
[[nodiscard]] std::optional<nlohmann::json> exact_json(std::string_view text);

/// Returns the differences in the order of the paths in `a`. New members follow their neighbors. If all elements of a
/// list are objects with an identifying member (`id`, `name`, `path`, …), they are compared by it, and otherwise by
/// position.
[[nodiscard]] std::vector<Change> json_changes(const nlohmann::json& a, const nlohmann::json& b);

/// Returns "string", "boolean", …, and "number" for numbers of all kinds.
[[nodiscard]] std::string type_name(const nlohmann::json& value);

/// Returns true if the value is so rare that an equal one shows that a member was renamed, unlike 0 and "".
[[nodiscard]] bool tells_apart(const nlohmann::json& value);

/// Returns the value on one line, shortened to about `longest` bytes.
[[nodiscard]] std::string shown_value(const nlohmann::json& value, std::size_t longest);

/// Returns the path with `*` in place of each list position, because a value that differs in one element may differ in
/// all.
[[nodiscard]] std::string general_path(std::string_view path);
/// Returns true if `path` is at or below `pattern`, a JSON pointer in which `*` matches any single name.
[[nodiscard]] bool is_below(std::string_view path, std::string_view pattern);

}  // namespace tapedeck::tools
