#pragma once
// Splits overlay files and posted overlays, in both formats, into members with their lines. Formats values for files.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::replay {

/// An error with a message of one line, such as "crashed.toml:12: unknown key `datas` …".
struct OverlayError : std::invalid_argument {
  OverlayError(std::string_view file, std::size_t line, std::string_view message)
      : std::invalid_argument(std::string(file) + ":" + std::to_string(line) + ": " + std::string(message)) {}
};

struct OverlayMember {
  std::string name;
  std::string json;  ///< its value as JSON
  std::size_t line = 0;
};
struct OverlayBlock {
  std::size_t line = 0;
  std::vector<OverlayMember> members;  ///< with unique names
  bool is_effect = false;              ///< true for [[effect]]
};

/// Returns the blocks [[overlay]] and [[effect]] of a TOML text, each kind in its order. `file` is the name in
/// messages. Tables become objects with keys in the order of the text. Throws OverlayError.
[[nodiscard]] std::vector<OverlayBlock> overlay_blocks_of_toml(std::string_view text, std::string_view file);
/// Returns the objects of a JSON array that begins on `first_line` of `file`. Throws OverlayError.
[[nodiscard]] std::vector<OverlayBlock> overlay_blocks_of_json(std::string_view array, std::string_view file,
                                                               std::size_t first_line);

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
