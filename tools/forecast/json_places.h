#pragma once
// Finds places in JSON values. A token may represent all elements of a list or all members of an object.

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tapedeck::tools {

/// A token for every element of a list, or every member of an object.
inline constexpr const char* any_place = "*";

/// Visits each place to which the tokens lead, with its own tokens.
void each_place(const nlohmann::json& value, const std::vector<std::string>& tokens,
                const std::function<void(const std::vector<std::string>& place, const nlohmann::json& value)>& visit);
/// Returns a pointer as text: "/data/shares/*/quota".
[[nodiscard]] std::string pointer_text(const std::vector<std::string>& tokens);
}  // namespace tapedeck::tools
