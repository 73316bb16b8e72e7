#pragma once
// Formats values for overlay files.

#include <string>
#include <string_view>

namespace tapedeck::replay {

/// Converts a JSON string to a TOML string that is safe on terminals: DEL is escaped, and slashes are not.
[[nodiscard]] std::string toml_string(std::string_view json_string);
/// Returns a TOML string on one line.
[[nodiscard]] std::string toml_text(std::string_view text);
/// Returns a key, in quotes if TOML requires them.
[[nodiscard]] std::string toml_key(std::string_view name);
/// Returns a TOML string of several lines without escapes if TOML can represent the text that way, and otherwise
/// toml_text().
[[nodiscard]] std::string toml_lines(std::string_view text);

}  // namespace tapedeck::replay
