#pragma once
// Two JSON texts compared by what they mean.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/diff/change.h"

namespace tapedeck::tools {

/// In the order of the paths in `a`, what is new behind its neighbours. Lists whose elements are objects with a member
/// of their own that names each (`id`, `name`, `path` and the like) are compared by it, other lists by their places.
[[nodiscard]] std::vector<Change> json_changes(const nlohmann::json& a, const nlohmann::json& b);

/// A path with `*` for each place in a list: what differs in one element may differ in all.
[[nodiscard]] std::string general_path(std::string_view path);
/// True when `path` is at or below `pattern`, a JSON pointer in which `*` stands for any one name.
[[nodiscard]] bool is_below(std::string_view path, std::string_view pattern);

}  // namespace tapedeck::tools
