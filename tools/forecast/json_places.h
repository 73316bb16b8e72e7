#pragma once
// Places in JSON values, and a token for all elements of a list or all members of a map.

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tapedeck::tools {

/// In the tokens of a pointer: every element of a list, or every member of an object.
inline constexpr const char* any_place = "*";

/// Visits each place that the tokens lead to, with its own tokens.
void each_place(const nlohmann::json& value, const std::vector<std::string>& tokens,
                const std::function<void(const std::vector<std::string>& place, const nlohmann::json& value)>& visit);
/// "/data/shares/*/quota".
[[nodiscard]] std::string pointer_text(const std::vector<std::string>& tokens);
/// "number", whatever kind of number.
[[nodiscard]] std::string type_name(const nlohmann::json& value);

}  // namespace tapedeck::tools
