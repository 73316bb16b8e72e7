#include "replay/overlays/overlay_writer.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/json_spans.h"

namespace tapedeck::replay {
namespace {

std::string toml_value(std::string_view value) {
  if (value.starts_with('"')) return toml_string(value);
  if (const auto members = api::json_members(value)) {
    std::string text = "{";
    for (const api::JsonMember& member : *members) {
      const std::string key = toml_string("\"" + std::string(member.key) + "\"");
      text.append(text.size() > 1 ? ", " : " ").append(key).append(" = ").append(toml_value(member.value));
    }
    return text + " }";
  }
  if (const auto elements = api::json_elements(value)) {
    std::string text = "[";
    for (const std::string_view element : *elements) {
      text.append(text.size() > 1 ? ", " : "").append(toml_value(element));
    }
    return text + "]";
  }
  return std::string(value);
}

/// Returns true if the member must be written as JSON text, because TOML has no null and no order of keys.
bool is_written_as_json(const OverlayMember& member) {
  constexpr std::array<std::string_view, 3> members = {"data", "patch", "merge"};
  return !member.json.starts_with('"') && std::find(members.begin(), members.end(), member.name) != members.end();
}

std::string block_of(const Overlay& overlay, const std::string& name) {
  std::string block = "[[overlay]]\n";
  for (const OverlayMember& member : overlay.members) {
    const std::string value = member.name == "name"        ? toml_text(name)
                              : is_written_as_json(member) ? toml_lines(member.json)
                                                           : toml_value(member.json);
    block.append(member.name).append(" = ").append(value).append("\n");
  }
  return block;
}

}  // namespace

std::string overlays_toml(const std::vector<OverlayPtr>& overlays, const std::vector<EffectPtr>& effects) {
  std::string text;
  std::set<std::string> names;
  for (const OverlayPtr& overlay : overlays) {
    std::string name = overlay->name;
    for (unsigned number = 2; !names.insert(name).second; ++number) {
      name = overlay->name + " (" + std::to_string(number) + ")";
    }
    text.append(text.empty() ? "" : "\n").append(block_of(*overlay, name));
  }
  for (const EffectPtr& effect : effects) {
    text.append(text.empty() ? "" : "\n").append("[[effect]]\n");
    for (const OverlayMember& member : effect->members) {
      text.append(member.name).append(" = ").append(toml_value(member.json)).append("\n");
    }
  }
  return text;
}

}  // namespace tapedeck::replay
