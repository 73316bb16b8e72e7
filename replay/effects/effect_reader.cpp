#include "replay/effects/effect_reader.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/digest.h"
#include "replay/effects/effect_set.h"

namespace tapedeck::replay {
namespace {

std::vector<OverlayMember> members_of(std::string_view object, std::size_t line) {
  std::vector<OverlayMember> members;
  for (const api::JsonMember& one : api::json_members(object).value_or(std::vector<api::JsonMember>{})) {
    members.push_back({api::json_key(one.key), std::string(one.value), line});
  }
  return members;
}

bool is_object(std::string_view text) { return api::json_members(text).has_value(); }

class EffectReader : private MemberReader {
 public:
  explicit EffectReader(std::string file) : MemberReader(std::move(file)) {}

  [[nodiscard]] Effect read(const OverlayBlock& block) {
    Effect effect;
    effect.file = file_;
    effect.line = block.line;
    effect.members = block.members;
    bool has_on = false;
    std::string text;
    for (const OverlayMember& member : block.members) {
      read_member(member, effect);
      has_on = has_on || member.name == "on";
      text.append(member.name).append("=").append(member.json).append("\n");
    }
    if (!has_on) throw OverlayError(file_, block.line, "missing `on`");
    effect.fingerprint = base::to_hex(base::sha256("effect\n" + text));
    return effect;
  }

 private:
  void read_member(const OverlayMember& member, Effect& effect) const {
    if (member.name == "on") {
      effect.on = pattern(member);
    } else if (member.name == "params") {
      effect.params = conditions(member);
    } else if (member.name == "scope") {
      effect.scope = scope_name(member);
    } else if (member.name == "reply") {
      effect.reply = json_text(member);
    } else if (member.name == "change") {
      read_changes(member, effect);
    } else if (member.name == "ends_sessions") {
      effect.ends_sessions = truth(member);
    } else {
      throw OverlayError(file_, member.line,
                         "unknown key `" + member.name +
                             "` in an effect; known keys: on, params, scope, reply, change, ends_sessions");
    }
  }

  void read_changes(const OverlayMember& member, Effect& effect) const {
    const auto elements = api::json_elements(member.json);
    if (!elements) fail(member, "must be written as [[effect.change]]");
    for (const std::string_view element : *elements) effect.changes.push_back(read_change(member, element));
  }

  [[nodiscard]] EffectChange read_change(const OverlayMember& list, std::string_view object) const {
    if (!is_object(object)) fail(list, "must be written as [[effect.change]]");
    EffectChange change;
    bool has_in = false;
    for (const OverlayMember& member : members_of(object, list.line)) {
      read_change_member(member, change);
      has_in = has_in || member.name == "in";
    }
    if (!has_in) fail(list, "needs `in`: the call whose responses change");
    const bool merges = change.merges_params || change.merge || change.merge_text;
    if (!merges && !change.insert && !change.remove) fail(list, "changes nothing: add merge, insert, or remove");
    if (change.count && !change.insert && !change.remove) fail(list, "has `count`, which requires insert or remove");
    return change;
  }

  void read_change_member(const OverlayMember& member, EffectChange& change) const {
    if (member.name == "in") {
      change.in = read_target(member);
    } else if (member.name == "where") {
      change.where = named_texts(member);
    } else if (member.name == "merge") {
      read_merge(member, change);
    } else if (member.name == "insert") {
      change.insert = read_insert(member);
    } else if (member.name == "remove") {
      change.remove = read_remove(member);
    } else if (member.name == "count") {
      change.count = pointer(member);
    } else {
      throw OverlayError(
          file_, member.line,
          "unknown key `" + member.name + "` in a change; known keys: in, where, merge, insert, remove, count");
    }
  }

  [[nodiscard]] CallPattern read_target(const OverlayMember& member) const {
    CallPattern target = pattern(member);
    if (!target.is_wide() && is_never_changed(target.api())) {
      fail(member, "cannot be " + target.api() + ": its responses are never changed");
    }
    return target;
  }

  void read_merge(const OverlayMember& member, EffectChange& change) const {
    if (member.json == "\"params\"") {
      change.merges_params = true;
      return;
    }
    TemplateText text = json_text(member);
    if (api::is_json(text.text())) {
      if (!is_object(text.text())) fail(member, "must be \"params\" or a table");
      change.merge = text.text();
    } else {
      change.merge_text = std::move(text);
    }
  }

  [[nodiscard]] EffectChange::Insert read_insert(const OverlayMember& member) const {
    EffectChange::Insert insert;
    bool has_at = false;
    for (const OverlayMember& one : members_of(member.json, member.line)) {
      if (one.name == "at") {
        insert.at = pointer(one);
        has_at = true;
      } else if (one.name == "like") {
        insert.like = number(one, 0, 1'000'000);
      } else if (one.name == "set") {
        const TemplateText set = json_text(one);
        if (!api::is_json(set.text()) || !is_object(set.text())) fail(one, "must be a table");
        insert.set = set.text();
      } else {
        fail(member, "has an unknown key `" + one.name + "`; known keys: at, like, set");
      }
    }
    if (!has_at || insert.set.empty()) fail(member, "must be a table with `at` and `set`");
    return insert;
  }

  [[nodiscard]] EffectChange::Remove read_remove(const OverlayMember& member) const {
    EffectChange::Remove remove;
    bool has_from = false;
    for (const OverlayMember& one : members_of(member.json, member.line)) {
      if (one.name == "from") {
        remove.from = pointer(one);
        has_from = true;
      } else if (one.name == "where") {
        remove.where = named_texts(one);
      } else {
        fail(member, "has an unknown key `" + one.name + "`; known keys: from, where");
      }
    }
    if (!has_from || remove.where.empty()) fail(member, "must be a table with `from` and `where`");
    return remove;
  }

  [[nodiscard]] NamedTexts named_texts(const OverlayMember& member) const {
    const auto members = api::json_members(member.json);
    if (!members) fail(member, "must be a table");
    NamedTexts texts;
    for (const api::JsonMember& one : *members) {
      if (one.value == "null") fail(member, "must not contain null");
      auto& [name, text] = texts.emplace_back(api::json_key(one.key), std::nullopt);
      if (one.value != "\"*\"") text = TemplateText(std::string(one.value), TemplateText::Kind::json);
    }
    return texts;
  }

  [[nodiscard]] api::JsonPointer pointer(const OverlayMember& member) const {
    auto found = api::JsonPointer::parse(text(member));
    if (!found) fail(member, "must be a JSON pointer, as in \"/data/files\"");
    return *std::move(found);
  }
};

}  // namespace

Effect read_effect(const OverlayBlock& block, const std::string& file) { return EffectReader(file).read(block); }

std::vector<EffectPtr> number_effects(std::vector<Effect> effects, std::string_view set) {
  std::unordered_map<std::string, std::uint64_t> twins;
  std::vector<EffectPtr> numbered;
  for (Effect& effect : effects) {
    const std::uint64_t twin = twins[effect.fingerprint]++;
    const base::Sha256 digest =
        base::sha256(effect.fingerprint + "\n" + std::to_string(twin) + "\n" + std::string(set));
    std::memcpy(&effect.id, digest.data(), sizeof effect.id);
    numbered.push_back(std::make_shared<const Effect>(std::move(effect)));
  }
  return numbered;
}

}  // namespace tapedeck::replay
