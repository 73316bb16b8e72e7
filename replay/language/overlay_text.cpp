#include "replay/language/overlay_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "api/json_patch.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/text.h"
#include "base/toml_file.h"
#include "base/utf8.h"

namespace tapedeck::replay {
namespace {

class TomlReader {
 public:
  explicit TomlReader(std::string_view file) : file_(file) {}

  [[nodiscard]] std::vector<OverlayBlock> read(const toml::table& document) const {
    std::vector<OverlayBlock> blocks;
    for (const auto& [key, node] : document) {
      const bool is_effect = key.str() == "effect";
      if (key.str() != "overlay" && !is_effect) {
        fail(key.source(), "unknown key `" + std::string(key.str()) + "`; known keys: overlay, effect");
      }
      const toml::array* const list = node.as_array();
      if (list == nullptr) fail(node.source(), not_a_list(is_effect));
      for (const toml::node& one : *list) {
        blocks.push_back(block(one, is_effect));
        blocks.back().is_effect = is_effect;
      }
    }
    return blocks;
  }

 private:
  using Members = std::vector<std::pair<const toml::key*, const toml::node*>>;

  static std::string not_a_list(bool is_effect) {
    return is_effect ? "effects must be written as [[effect]]" : "overlays must be written as [[overlay]]";
  }

  /// Returns the members in the order of the text, which toml++ does not keep.
  static Members members_of(const toml::table& table) {
    Members members;
    for (const auto& [key, node] : table) members.emplace_back(&key, &node);
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
      const auto& [line_a, column_a] = a.first->source().begin;
      const auto& [line_b, column_b] = b.first->source().begin;
      return std::tie(line_a, column_a) < std::tie(line_b, column_b);
    });
    return members;
  }

  [[nodiscard]] OverlayBlock block(const toml::node& node, bool is_effect) const {
    if (!node.is_table()) fail(node.source(), not_a_list(is_effect));
    OverlayBlock block;
    block.line = node.source().begin.line;
    for (const auto& [key, value] : members_of(*node.as_table())) {
      block.members.push_back({std::string(key->str()), json(*value), key->source().begin.line});
    }
    return block;
  }

  [[nodiscard]] std::string json(const toml::node& node) const {
    if (const auto* const table = node.as_table()) return object(*table);
    if (const auto* const array = node.as_array()) {
      std::string text = "[";
      for (const toml::node& one : *array) text.append(text.size() > 1 ? "," : "").append(json(one));
      return text + "]";
    }
    if (const auto* const string = node.as_string()) return api::json_quoted(string->get());
    if (const auto* const number = node.as_integer()) return std::to_string(number->get());
    if (const auto* const truth = node.as_boolean()) return truth->get() ? "true" : "false";
    const auto* const real = node.as_floating_point();
    if (real == nullptr || !std::isfinite(real->get())) {
      fail(node.source(), "dates, times, inf, and nan are not JSON: put them in quotes");
    }
    return nlohmann::json(real->get()).dump();
  }

  [[nodiscard]] std::string object(const toml::table& table) const {
    std::string text = "{";
    for (const auto& [key, value] : members_of(table)) {
      text.append(text.size() > 1 ? "," : "").append(api::json_quoted(key->str())).append(":").append(json(*value));
    }
    return text + "}";
  }

  [[noreturn]] void fail(const toml::source_region& where, std::string_view message) const {
    throw OverlayError(file_, where.begin.line, message);
  }

  std::string_view file_;
};

}  // namespace

std::vector<OverlayBlock> overlay_blocks_of_toml(std::string_view text, std::string_view file) {
  const TomlReader reader(file);
  try {
    return reader.read(base::parse_toml(text));
  } catch (const base::TomlError& error) {
    throw OverlayError(file, error.line, error.what());
  }
}

std::vector<OverlayBlock> overlay_blocks_of_json(std::string_view array, std::string_view file,
                                                 std::size_t first_line) {
  // Asked in ascending order of places.
  auto line_of = [counted = array.data(), line = first_line](std::string_view piece) mutable {
    if (piece.data() > counted) line += static_cast<std::size_t>(std::count(counted, piece.data(), '\n'));
    counted = std::max(counted, piece.data());
    return line;
  };
  const auto elements = api::is_json(array) ? api::json_elements(array) : std::nullopt;
  if (!elements) throw OverlayError(file, first_line, "overlays must be a JSON list of objects");
  std::vector<OverlayBlock> blocks;
  for (const std::string_view element : *elements) {
    const auto members = api::json_members(element);
    if (!members) throw OverlayError(file, line_of(element), "an overlay must be an object");
    OverlayBlock block{line_of(element), {}};
    std::unordered_set<std::string> names;
    for (const api::JsonMember& member : *members) {
      const std::string name = api::json_key(member.key);
      if (!names.insert(name).second) throw OverlayError(file, line_of(member.key), "`" + name + "` is given twice");
      block.members.push_back({name, std::string(member.value), line_of(member.key)});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string toml_string(std::string_view json_string) {
  std::string text;
  for (std::size_t at = 0; at < json_string.size(); ++at) {
    const char c = json_string[at];
    if (c == '\\' && at + 1 < json_string.size()) {
      const char next = json_string[++at];
      if (next != '/') text += c;
      text += next;
    } else {
      text += c == '\x7f' ? std::string("\\u007f") : std::string(1, c);
    }
  }
  return base::printable_json(std::move(text));
}

std::string toml_text(std::string_view text) { return toml_string(api::json_quoted(text)); }

std::string toml_key(std::string_view name) {
  const bool is_bare = !name.empty() && std::all_of(name.begin(), name.end(),
                                                    [](char c) { return base::is_alnum(c) || c == '_' || c == '-'; });
  return is_bare ? std::string(name) : toml_text(name);
}

std::string toml_lines(std::string_view text) {
  const bool is_plain = text.find("'''") == std::string_view::npos && !text.ends_with('\'') &&
                        !text.starts_with('\n') && base::printable(text, true) == text;
  return is_plain ? "'''" + std::string(text) + "'''" : toml_text(text);
}

}  // namespace tapedeck::replay
