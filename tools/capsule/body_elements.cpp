#include "tools/capsule/body_elements.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "api/json_patch.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/utf8.h"

namespace tapedeck::tools {
namespace {

using nlohmann::ordered_json;
using Visit = std::function<void(const BodyPlace& place, const ordered_json& value)>;

ordered_json parsed(std::string_view body) {
  return api::is_json(body) ? ordered_json::parse(body, nullptr, false)
                            : ordered_json(ordered_json::value_t::discarded);
}

void visit_below(const ordered_json& value, BodyPlace& place, const Visit& visit) {
  const auto go = [&](std::string token, const ordered_json& next) {
    place.push_back(std::move(token));
    visit(place, next);
    visit_below(next, place, visit);
    place.pop_back();
  };
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) go(name, member);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) go(std::to_string(i), value[i]);
  }
}

void each_value(std::string_view body, const Visit& visit) {
  const ordered_json json = parsed(body);
  if (json.is_discarded()) return;
  BodyPlace place;
  visit_below(json, place, visit);
}

/// Returns true for `success`, `error`, and its `code`, in the response or in a part of a compound at "/data/result/N".
bool is_of_envelope(const BodyPlace& place) {
  std::size_t begin = 0;
  if (place.size() > 3 && place[0] == "data" && place[1] == "result") begin = 3;
  const auto is_at = [&](std::size_t depth, const char* name) {
    return place.size() == begin + depth && place.back() == name;
  };
  return is_at(1, "success") || is_at(1, "error") || (is_at(2, "code") && place[begin] == "error");
}

/// Returns the text of an object or array without the members or elements in `gone`, which has names or numbers.
std::string without_slots(std::string_view body, const api::JsonInside& inside, const std::set<std::string>& gone) {
  std::string text(1, body[inside.span.offset]);
  std::size_t before = inside.span.offset + 1;
  bool is_first = true;
  for (std::size_t i = 0; i < inside.slots.size(); ++i) {
    const api::JsonSlot& slot = inside.slots[i];
    if (i > 0) before = body.find(',', before) + 1;
    if (!gone.contains(inside.is_object ? slot.key : std::to_string(i))) {
      text.append(is_first ? "" : ",").append(body.substr(before, slot.end - before));
      is_first = false;
    }
    before = slot.end;
  }
  return text.append(body.substr(before, inside.span.offset + inside.span.length - before));
}

}  // namespace

std::vector<BodyPlace> removable_places(std::string_view body, std::size_t depth) {
  std::vector<BodyPlace> places;
  each_value(body, [&](const BodyPlace& place, const ordered_json&) {
    if (place.size() == depth && !is_of_envelope(place)) places.push_back(place);
  });
  return places;
}

std::size_t depth_of(std::string_view body) {
  std::size_t depth = 0;
  each_value(body, [&](const BodyPlace& place, const ordered_json&) { depth = std::max(depth, place.size()); });
  return depth;
}

std::string without_places(std::string body, const std::vector<BodyPlace>& places) {
  std::map<BodyPlace, std::set<std::string>> gone;
  for (const BodyPlace& place : places) gone[{place.begin(), place.end() - 1}].insert(place.back());
  for (const auto& [parent, tokens] : gone) {
    const auto span = api::value_at(body, parent);
    const auto inside = span ? api::look_inside(body, *span) : std::nullopt;
    if (inside) body.replace(span->offset, span->length, without_slots(body, *inside, tokens));
  }
  return body;
}

std::vector<BodyPlace> long_strings(std::string_view body, std::size_t longest) {
  std::vector<BodyPlace> places;
  each_value(body, [&](const BodyPlace& place, const ordered_json& value) {
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > longest && text.find("{{") == std::string::npos) places.push_back(place);
  });
  return places;
}

std::string with_short_strings(std::string body, const std::vector<BodyPlace>& places, std::size_t length) {
  for (const BodyPlace& place : places) {
    const auto span = api::value_at(body, place);
    if (!span) continue;
    std::string text = ordered_json::parse(body.substr(span->offset, span->length)).get<std::string>();
    if (text.size() <= length) continue;
    body.replace(span->offset, span->length, api::json_quoted(base::utf8_prefix(text, length)));
  }
  return body;
}

}  // namespace tapedeck::tools
