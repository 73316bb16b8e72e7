#include <algorithm>

#include "api/json_patch.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "replay/rules/overlay_text.h"

namespace tapedeck::replay {

std::vector<OverlayBlock> overlay_blocks_of_json(std::string_view array, std::string_view file,
                                                 std::size_t first_line) {
  const auto line_of = [&](std::string_view piece) {
    return first_line + static_cast<std::size_t>(std::count(array.data(), piece.data(), '\n'));
  };
  const auto elements = api::is_json(array) ? api::json_elements(array) : std::nullopt;
  if (!elements) throw OverlayError(file, first_line, "overlays must be a JSON list of objects");
  std::vector<OverlayBlock> blocks;
  for (const std::string_view element : *elements) {
    const auto members = api::json_members(element);
    if (!members) throw OverlayError(file, line_of(element), "an overlay must be an object");
    OverlayBlock block{line_of(element), {}};
    for (const api::JsonMember& member : *members) {
      const std::string name = api::json_key(member.key);
      const bool is_twice = std::any_of(block.members.begin(), block.members.end(),
                                        [&](const OverlayMember& other) { return other.name == name; });
      if (is_twice) throw OverlayError(file, line_of(member.key), "`" + name + "` is given twice");
      block.members.push_back({name, std::string(member.value), line_of(member.key)});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace tapedeck::replay
