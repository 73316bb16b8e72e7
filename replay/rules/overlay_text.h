#pragma once
// Overlay files and posted overlays, taken apart into members with their lines: what both spellings have in common.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::replay {

/// One line, "crashed.toml:12: unknown key `datas` …".
struct OverlayError : std::invalid_argument {
  OverlayError(std::string_view file, std::size_t line, std::string_view message)
      : std::invalid_argument(std::string(file) + ":" + std::to_string(line) + ": " + std::string(message)) {}
};

struct OverlayMember {
  std::string name;
  std::string json;  ///< its value, JSON text
  std::size_t line = 0;
};
struct OverlayBlock {
  std::size_t line = 0;
  std::vector<OverlayMember> members;  ///< no name twice
  bool is_effect = false;              ///< [[effect]]
};

/// Blocks [[overlay]] and [[effect]] of a TOML text, each kind in the order of the text; `file` is what messages call
/// it. Tables become objects whose keys stand in the order of the text. Throws OverlayError.
[[nodiscard]] std::vector<OverlayBlock> overlay_blocks_of_toml(std::string_view text, std::string_view file);
/// Objects of a JSON array, which begins on `first_line` of what messages call `file`. Throws OverlayError.
[[nodiscard]] std::vector<OverlayBlock> overlay_blocks_of_json(std::string_view array, std::string_view file,
                                                               std::size_t first_line);

}  // namespace tapedeck::replay
