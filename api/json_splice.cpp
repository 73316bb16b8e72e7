#include "api/json_splice.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/json_spans.h"
#include "base/text.h"

namespace tapedeck::api {
namespace {

constexpr std::string_view white = " \t\r\n";

std::optional<std::size_t> index_of(std::string_view token) {
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  return base::whole_number<std::size_t>(token);
}

/// Returns the white space that begins at `at`.
std::string space_at(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of(white, at), text.size());
  return std::string(text.substr(at, end - at));
}

/// Returns the white space before the last slot, which a new slot repeats.
std::string lead_of_last(std::string_view text, const JsonInside& inside) {
  const std::size_t count = inside.slots.size();
  if (count == 1) return space_at(text, inside.span.offset + 1);
  return space_at(text, text.find(',', inside.slots[count - 2].end) + 1);
}

void append_slot(std::string& text, const JsonInside& inside, const std::string& slot) {
  if (inside.slots.empty()) {
    text.insert(inside.span.offset + 1, slot);
  } else {
    text.insert(inside.slots.back().end, "," + lead_of_last(text, inside) + slot);
  }
}

/// Removes a slot and one of the commas beside it.
void remove_slot(std::string& text, const JsonInside& inside, std::size_t index) {
  const auto& slots = inside.slots;
  std::size_t begin = slots[index].begin;
  std::size_t end = slots[index].end;
  if (index > 0) {
    begin = slots[index - 1].end;
  } else if (slots.size() > 1) {
    end = slots[1].begin;
  }
  text.erase(begin, end - begin);
}

void insert_element(std::string& text, const JsonInside& array, std::size_t index, std::string_view value) {
  if (index == array.slots.size()) return append_slot(text, array, std::string(value));
  const std::size_t behind = index > 0                ? text.find(',', array.slots[index - 1].end)
                             : array.slots.size() > 1 ? text.find(',', array.slots[0].end)
                                                      : array.span.offset;
  text.insert(array.slots[index].begin, std::string(value) + "," + space_at(text, behind + 1));
}

/// Returns the container of the value that the tokens name.
std::optional<JsonInside> parent_of(std::string_view text, std::span<const std::string> tokens) {
  const auto value = value_at(text, tokens.first(tokens.size() - 1));
  return value ? look_inside(text, *value) : std::nullopt;
}

}  // namespace

http::Span json_root(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(white), text.size());
  return {begin, text.find_last_not_of(white) + 1 - begin};
}

std::string json_key(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  const auto key = nlohmann::json::parse("\"" + std::string(raw) + "\"", nullptr, false);
  return key.is_string() ? key.get<std::string>() : std::string(raw);
}

std::optional<JsonInside> look_inside(std::string_view text, http::Span value) {
  JsonInside inside;
  inside.span = value;
  const std::string_view within = text.substr(value.offset, value.length);
  const auto place = [&](std::string_view piece) { return static_cast<std::size_t>(piece.data() - text.data()); };
  if (const auto members = json_members(within)) {
    inside.is_object = true;
    for (const JsonMember& member : *members) {
      const std::size_t key = place(member.key);
      const std::size_t at = place(member.value);
      inside.slots.push_back(
          {key - 1, key + member.key.size() + 1, at, at + member.value.size(), json_key(member.key)});
    }
    return inside;
  }
  const auto elements = json_elements(within);
  if (!elements) return std::nullopt;
  for (const std::string_view element : *elements) {
    const std::size_t at = place(element);
    inside.slots.push_back({at, at, at, at + element.size(), {}});
  }
  return inside;
}

std::optional<std::size_t> slot_of(const JsonInside& inside, std::string_view token) {
  const auto& slots = inside.slots;
  if (!inside.is_object) {
    const auto index = index_of(token);
    return index && *index < slots.size() ? index : std::nullopt;
  }
  const auto found =
      std::find_if(slots.rbegin(), slots.rend(), [token](const auto& slot) { return slot.key == token; });
  if (found == slots.rend()) return std::nullopt;
  return static_cast<std::size_t>(slots.rend() - found) - 1;
}

std::optional<http::Span> value_at(std::string_view text, std::span<const std::string> tokens) {
  http::Span value = json_root(text);
  for (const std::string& token : tokens) {
    const auto inside = look_inside(text, value);
    const auto slot = inside ? slot_of(*inside, token) : std::nullopt;
    if (!slot) return std::nullopt;
    value = inside->slots[*slot].value();
  }
  return value;
}

void append_member(std::string& text, const JsonInside& object, std::string_view key, std::string_view value) {
  std::string between = ":";
  if (!object.slots.empty()) {
    const JsonSlot& last = object.slots.back();
    between = text.substr(last.key_end, last.value_begin - last.key_end);
  }
  append_slot(text, object, json_quoted(key) + between + std::string(value));
}

void remove_all(std::string& text, const JsonInside& object, std::string_view key) {
  std::optional<JsonInside> left = object;
  const std::size_t rest = text.size() - object.span.length;
  while (const auto slot = slot_of(*left, key)) {
    remove_slot(text, *left, *slot);
    left = look_inside(text, {object.span.offset, text.size() - rest});
  }
}

bool add_at(std::string& text, std::span<const std::string> tokens, std::string_view value) {
  if (tokens.empty()) {
    const http::Span root = json_root(text);
    text.replace(root.offset, root.length, value);
    return true;
  }
  const auto parent = parent_of(text, tokens);
  if (!parent) return false;
  const std::string& last = tokens.back();
  if (parent->is_object) {
    if (const auto slot = slot_of(*parent, last)) {
      const http::Span old = parent->slots[*slot].value();
      text.replace(old.offset, old.length, value);
    } else {
      append_member(text, *parent, last, value);
    }
    return true;
  }
  const auto index = last == "-" ? parent->slots.size() : index_of(last);
  if (!index || *index > parent->slots.size()) return false;
  insert_element(text, *parent, *index, value);
  return true;
}

bool remove_at(std::string& text, std::span<const std::string> tokens) {
  if (tokens.empty()) return false;
  const auto parent = parent_of(text, tokens);
  const auto slot = parent ? slot_of(*parent, tokens.back()) : std::nullopt;
  if (!slot) return false;
  if (parent->is_object) {
    remove_all(text, *parent, tokens.back());
  } else {
    remove_slot(text, *parent, *slot);
  }
  return true;
}

}  // namespace tapedeck::api
