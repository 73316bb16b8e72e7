#include "replay/overlays/overlay_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "api/json_patch.h"
#include "api/json_spans.h"
#include "base/descriptor.h"
#include "base/digest.h"
#include "http/message/urlencoded.h"
#include "replay/effects/effect_reader.h"
#include "replay/overlays/overlay_reader.h"

namespace tapedeck::replay {
namespace {

constexpr const char* posted = "overlays";

std::string call_of(const Overlay& overlay) {
  return overlay.call ? overlay.call->text() : overlay.verb + " " + overlay.path;
}

std::string text_member(const api::JsonMember& member, std::size_t line) {
  const auto value = nlohmann::json::parse(member.value);
  if (value.is_string() && !value.get<std::string>().empty()) return value.get<std::string>();
  throw OverlayError(posted, line, "`" + std::string(member.key) + "` must be a string in quotes");
}

std::string json_list(const std::vector<OverlayBlock>& blocks, bool of_effects) {
  std::string list;
  for (const OverlayBlock& block : blocks) {
    if (block.is_effect != of_effects) continue;
    std::string object;
    for (const OverlayMember& member : block.members) {
      object.append(object.empty() ? "{" : ",").append(api::json_quoted(member.name)).append(":").append(member.json);
    }
    list.append(list.empty() ? "[" : ",").append(object.empty() ? "{" : object).append("}");
  }
  return list.empty() ? "[]" : list + "]";
}

/// A posted set before its overlays are parsed.
struct PostedSet {
  std::optional<std::string> name, scope;
  std::vector<OverlayBlock> blocks;
};

/// Returns the text to keep. It includes posted TOML beside its JSON, because users edit it further.
std::string text_of(const PostedSet& set, const std::string& toml) {
  std::string text = "{\"set\":" + api::json_quoted(*set.name);
  if (set.scope) text += ",\"scope\":" + api::json_quoted(http::percent_encode(*set.scope));
  return text + ",\"overlays\":" + json_list(set.blocks, false) + ",\"effects\":" + json_list(set.blocks, true) +
         ",\"toml\":" + api::json_quoted(toml) + "}";
}

void add_blocks(std::vector<OverlayBlock>& blocks, std::string_view list, std::size_t line, bool are_effects) {
  for (OverlayBlock& block : overlay_blocks_of_json(list, posted, line)) {
    block.is_effect = are_effects;
    blocks.push_back(std::move(block));
  }
}

}  // namespace

OverlayFile read_overlay_toml(std::string_view text, const std::string& file, const std::filesystem::path& folder) {
  OverlayFile found;
  for (const OverlayBlock& block : overlay_blocks_of_toml(text, file)) {
    if (block.is_effect) {
      found.effects.push_back(read_effect(block, file));
    } else {
      found.overlays.push_back(read_overlay(block, file, folder, found.read));
    }
  }
  return found;
}

std::string overlay_file_text(const std::string& path) {
  constexpr std::uintmax_t largest = 16u << 20;
  std::error_code failed;
  if (std::filesystem::file_size(path, failed) > largest && !failed) {
    throw std::invalid_argument(path + ": is larger than 16 MiB");
  }
  auto text = base::read_file(path);
  if (!text) throw std::invalid_argument(path + ": cannot read the file");
  return *std::move(text);
}

OverlayFile read_overlay_file(const std::string& path, std::string_view text) {
  OverlayFile found = read_overlay_toml(text, path, std::filesystem::path(path).parent_path());
  found.read.insert(found.read.begin(), path);
  return found;
}

PostedOverlays read_posted_overlays(std::string_view text) {
  constexpr std::size_t largest = 4u << 20;
  if (text.size() > largest) throw OverlayError(posted, 1, "more than 4 MiB");
  if (!nlohmann::json::accept(text) || !api::is_json(text)) throw OverlayError(posted, 1, "overlays must be JSON");
  const auto line_of = [text](std::string_view piece) {
    return 1 + static_cast<std::size_t>(std::count(text.data(), piece.data(), '\n'));
  };
  PostedOverlays found;
  found.text = text;
  PostedSet set;
  std::optional<std::string> toml;
  if (const auto members = api::json_members(text)) {
    bool has_lists = false;
    for (const api::JsonMember& member : *members) {
      const std::size_t line = line_of(member.key);
      if (member.key == "set") {
        set.name = text_member(member, line);
      } else if (member.key == "scope") {
        set.scope = MemberReader(posted).scope_name({"scope", std::string(member.value), line});
      } else if (member.key == "overlays" || member.key == "effects") {
        add_blocks(set.blocks, member.value, line_of(member.value), member.key == "effects");
        has_lists = true;
      } else if (member.key == "toml") {
        toml = text_member(member, line);
      } else {
        throw OverlayError(
            posted, line,
            "unknown key `" + std::string(member.key) + "`; known keys: set, scope, overlays, effects, toml");
      }
    }
    if (!set.name || has_lists == toml.has_value()) {
      throw OverlayError(posted, 1, "a set must have `set`, and `overlays` or `effects`, or else `toml`");
    }
  } else {
    add_blocks(set.blocks, text, 1, false);
  }
  if (toml) {
    set.blocks = overlay_blocks_of_toml(*toml, posted);
    found.text = text_of(set, *toml);
  }
  found.set = set.name;
  const auto add = [&set](auto& all, auto one) {
    if (set.scope && !one.scope) {
      one.scope = set.scope;
      one.members.push_back({"scope", api::json_quoted(http::percent_encode(*set.scope)), one.line});
    }
    all.push_back(std::move(one));
  };
  std::vector<std::string> no_files;
  for (const OverlayBlock& block : set.blocks) {
    if (block.is_effect) {
      add(found.effects, read_effect(block, posted));
    } else {
      add(found.overlays, read_overlay(block, posted, std::nullopt, no_files));
    }
  }
  return found;
}

std::vector<OverlayPtr> number_overlays(std::vector<Overlay> overlays, std::string_view set) {
  std::map<std::string, const Overlay*> names;
  for (const Overlay& overlay : overlays) {
    if (overlay.name.empty()) continue;
    const auto [other, is_new] = names.emplace(overlay.name, &overlay);
    if (!is_new) {
      throw OverlayError(overlay.file, overlay.line,
                         "the name \"" + overlay.name + "\" is already used at " + other->second->file + ":" +
                             std::to_string(other->second->line) + " too");
    }
  }
  std::unordered_map<std::string, std::uint64_t> twins;
  std::unordered_map<std::string, unsigned> last_numbers;  // by call
  std::vector<OverlayPtr> numbered;
  for (Overlay& overlay : overlays) {
    const std::string call = call_of(overlay);
    while (overlay.name.empty()) {
      const unsigned number = ++last_numbers[call];
      const std::string name = number == 1 ? call : call + " (" + std::to_string(number) + ")";
      if (names.emplace(name, &overlay).second) overlay.name = name;
    }
    const std::uint64_t twin = twins[overlay.fingerprint]++;
    const base::Sha256 digest =
        base::sha256(overlay.fingerprint + "\n" + std::to_string(twin) + "\n" + std::string(set));
    std::memcpy(&overlay.id, digest.data(), sizeof overlay.id);
    for (OverlayPtr& answer : overlay.answers) {
      Overlay named = *answer;
      named.name = overlay.name;
      named.id = overlay.id;
      answer = std::make_shared<const Overlay>(std::move(named));
    }
    numbered.push_back(std::make_shared<const Overlay>(std::move(overlay)));
  }
  return numbered;
}

}  // namespace tapedeck::replay
