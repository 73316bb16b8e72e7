#include "api/json_patch.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "api/json_spans.h"
#include "api/json_splice.h"

namespace tapedeck::api {
namespace {

const char* const no_such_path = "no such path";

std::string text_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::invalid_argument(std::string("`") + name + "` is missing");
  if (!found->is_string()) throw std::invalid_argument(std::string("`") + name + "` must be a string");
  return found->get<std::string>();
}

JsonPointer pointer_member(const nlohmann::json& object, const char* name) {
  const std::string text = text_member(object, name);
  auto pointer = JsonPointer::parse(text);
  if (!pointer) throw std::invalid_argument(std::string("`") + name + "` is not a JSON pointer: " + text);
  return std::move(*pointer);
}

bool is_same_value(std::string_view a, std::string_view b) {
  const auto one = nlohmann::json::parse(a, nullptr, false), other = nlohmann::json::parse(b, nullptr, false);
  return one.is_discarded() || other.is_discarded() ? a == b : one == other;
}

/// Throws if the text becomes too long when `added` bytes replace `removed` ones.
void check_growth(std::size_t size, std::size_t removed, std::size_t added, std::size_t most) {
  if (added > removed && size - removed + added > most) throw TooLong(most);
}

/// Merges `patch` into `target` by RFC 7396. `target` need not be an object, and is empty for a missing member. Returns
/// nothing if the target does not change.
std::optional<std::string> merged(std::string_view target, std::string_view patch, const PatchLeaf& leaf,
                                  std::size_t most) {
  const auto members = json_members(patch);
  if (!members) return leaf ? leaf(target, patch) : std::optional<std::string>(patch);
  std::string text(json_members(target) ? target : "{}");
  for (auto member = members->begin(); member != members->end(); ++member) {
    const std::string key = json_key(member->key);
    const bool counts =
        std::none_of(member + 1, members->end(), [&](const auto& later) { return json_key(later.key) == key; });
    if (!counts) continue;
    const auto object = look_inside(text, json_root(text));
    if (member->value == "null") {
      remove_all(text, *object, key);
    } else if (const auto slot = slot_of(*object, key)) {
      const http::Span old = object->slots[*slot].value();
      const auto now = merged(std::string_view(text).substr(old.offset, old.length), member->value, leaf, most);
      if (!now) continue;
      check_growth(text.size(), old.length, now->size(), most);
      text.replace(old.offset, old.length, *now);
    } else if (const auto now = merged({}, member->value, leaf, most)) {
      check_growth(text.size(), 0, key.size() + now->size(), most);
      append_member(text, *object, key, *now);
    }
  }
  return text;
}

}  // namespace

std::string with_paired_surrogates(std::string_view text) {
  std::string out(text);
  // Does not check whether surrogates are paired, because only the rest of the text is validated.
  for (std::size_t at = out.find("\\u"); at != std::string::npos && at + 6 <= out.size();
       at = out.find("\\u", at + 2)) {
    std::size_t slashes = 0;
    while (slashes < at && out[at - 1 - slashes] == '\\') ++slashes;
    const bool is_surrogate = (out[at + 2] == 'd' || out[at + 2] == 'D') && out[at + 3] > '7';
    if (slashes % 2 == 0 && is_surrogate) out.replace(at + 2, 2, "00");
  }
  return out;
}

bool is_json(std::string_view text) {
  constexpr int deepest = 200;
  // A device may write an unpaired surrogate, which the parser rejects.
  if (!is_json_text(text) && !is_json_text(with_paired_surrogates(text))) return false;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) return false;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return true;
}

std::optional<JsonPointer> JsonPointer::parse(std::string_view text) {
  JsonPointer pointer{std::string(text), {}};
  try {
    for (nlohmann::json::json_pointer rest(pointer.text); !rest.empty(); rest.pop_back()) {
      pointer.tokens.insert(pointer.tokens.begin(), rest.back());
    }
  } catch (const nlohmann::json::parse_error&) {
    return std::nullopt;
  }
  return pointer;
}

std::string pointer_token(std::string_view name) {
  return (nlohmann::json::json_pointer() / std::string(name)).to_string().substr(1);
}

JsonPatch::Kind JsonPatch::kind_of(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, Kind>, 6> kinds = {{{"add", Kind::add},
                                                                       {"remove", Kind::remove},
                                                                       {"replace", Kind::replace},
                                                                       {"move", Kind::move},
                                                                       {"copy", Kind::copy},
                                                                       {"test", Kind::test}}};
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == name; });
  if (found == kinds.end()) {
    throw std::invalid_argument("unknown operation `" + name + "` (add, remove, replace, move, copy, test)");
  }
  return found->second;
}

JsonPatch::Operation JsonPatch::read_operation(std::string_view object) {
  const auto json = nlohmann::json::parse(object);
  if (!json.is_object()) throw std::invalid_argument("it must be an object with `op` and `path`");
  Operation operation;
  operation.kind = kind_of(text_member(json, "op"));
  const bool has_from = operation.kind == Kind::move || operation.kind == Kind::copy;
  const bool has_value = !has_from && operation.kind != Kind::remove;
  for (const auto& [key, value] : json.items()) {
    const bool known = key == "op" || key == "path" || (key == "from" && has_from) || (key == "value" && has_value);
    if (!known) throw std::invalid_argument("`" + key + "` is not allowed here");
  }
  operation.path = pointer_member(json, "path");
  if (has_from) operation.from = pointer_member(json, "from");
  if (has_value) {
    const auto value = json_member(object, "value");
    if (!value) throw std::invalid_argument("`value` is missing");
    operation.value = *value;
  }
  return operation;
}

JsonPatch JsonPatch::parse(std::string_view text) {
  if (!is_json(text)) throw std::invalid_argument("the patch is not valid JSON");
  const auto elements = json_elements(text);
  if (!elements) throw std::invalid_argument("the patch must be a list of operations");
  JsonPatch patch;
  for (const std::string_view element : *elements) {
    try {
      patch.operations_.push_back(read_operation(element));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("operation " + std::to_string(patch.operations_.size() + 1) + ": " + error.what());
    }
  }
  return patch;
}

std::variant<std::monostate, PatchTestFailed, PatchError> JsonPatch::apply(std::string& text,
                                                                           const Operation& operation,
                                                                           std::size_t most) {
  const auto failed = [](const JsonPointer& where, const char* reason) { return PatchError{where.text, reason}; };
  std::string value = operation.value;
  if (operation.kind == Kind::move || operation.kind == Kind::copy) {
    const auto from = value_at(text, operation.from.tokens);
    if (!from) return failed(operation.from, no_such_path);
    if (operation.kind == Kind::move && operation.from.tokens == operation.path.tokens) return {};
    value = text.substr(from->offset, from->length);
  }
  switch (operation.kind) {
    case Kind::test: {
      const auto place = value_at(text, operation.path.tokens);
      if (!place) return failed(operation.path, no_such_path);
      if (is_same_value(std::string_view(text).substr(place->offset, place->length), value)) return {};
      return PatchTestFailed{operation.path.text};
    }
    case Kind::replace: {
      const auto place = value_at(text, operation.path.tokens);
      if (!place) return failed(operation.path, no_such_path);
      check_growth(text.size(), place->length, value.size(), most);
      text.replace(place->offset, place->length, value);
      return {};
    }
    case Kind::remove:
      if (!remove_at(text, operation.path.tokens)) return failed(operation.path, no_such_path);
      return {};
    case Kind::move:
      if (!remove_at(text, operation.from.tokens)) return failed(operation.from, no_such_path);
      break;
    case Kind::add:
    case Kind::copy:
      break;
  }
  check_growth(text.size(), 0, value.size(), most);
  if (!add_at(text, operation.path.tokens, value)) return failed(operation.path, no_such_path);
  return {};
}

Patched JsonPatch::apply(std::string_view text, std::size_t most) const {
  if (!is_json(text)) return PatchError{"", "the response is not JSON"};
  std::string changed(text);
  for (const Operation& operation : operations_) {
    const auto outcome = apply(changed, operation, most);
    if (const auto* const failed = std::get_if<PatchTestFailed>(&outcome)) return *failed;
    if (const auto* const error = std::get_if<PatchError>(&outcome)) return *error;
  }
  return changed;
}

Patched merge_patch(std::string_view text, std::string_view patch, const PatchLeaf& leaf, std::size_t most) {
  if (!is_json(text)) return PatchError{"", "the response is not JSON"};
  const http::Span root = json_root(text);
  const http::Span change = json_root(patch);
  const auto now =
      merged(text.substr(root.offset, root.length), patch.substr(change.offset, change.length), leaf, most);
  if (!now) return std::string(text);
  check_growth(text.size(), root.length, now->size(), most);
  return std::string(text.substr(0, root.offset)).append(*now).append(text.substr(root.offset + root.length));
}

}  // namespace tapedeck::api
