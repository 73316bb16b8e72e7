#pragma once
// Formats JSON for people without changing the spelling of strings and numbers or the order of keys.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// Returns JSON with two spaces per level and one member per line. Empty objects and arrays stay on one line. Returns
/// nothing for a text that is not JSON.
[[nodiscard]] std::optional<std::string> pretty_json(std::string_view text);
/// Returns JSON without white space outside of strings, or nothing for a text that is not JSON.
[[nodiscard]] std::optional<std::string> compact_json(std::string_view text);
/// Returns pretty_json() if compact_json() of it gives `text` again; otherwise nothing.
[[nodiscard]] std::optional<std::string> lossless_pretty(std::string_view text);

}  // namespace tapedeck::tools
