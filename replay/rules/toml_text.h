#pragma once
// Values as an overlay file has them.

#include <string>
#include <string_view>

namespace tapedeck::replay {

/// A JSON string as TOML spells it, which terminals may show: DEL escaped, a slash not.
[[nodiscard]] std::string toml_string(std::string_view json_string);
/// A TOML string of one line.
[[nodiscard]] std::string toml_text(std::string_view text);
/// A key, in quotes where TOML needs them.
[[nodiscard]] std::string toml_key(std::string_view name);
/// A TOML string of several lines, without escapes, if TOML can write the text so; otherwise toml_text().
[[nodiscard]] std::string toml_lines(std::string_view text);

}  // namespace tapedeck::replay
