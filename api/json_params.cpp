// Reads parameters from JSON objects.

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "api/json_spans.h"
#include "api/json_splice.h"
#include "api/key_text.h"
#include "api/request_params.h"
#include "base/text.h"

namespace tapedeck::api {
namespace {

/// A JSON text in which every hole is a number, because a placeholder without quotes is not valid JSON.
struct HoledJson {
  std::string json;
  std::vector<Hole> holes;    ///< places in the value of the parameter
  std::vector<Hole> in_json;  ///< the same places in `json`

  /// Converts a place in `json` to a place in the value. It must not begin or end inside of a hole.
  [[nodiscard]] http::Span back(http::Span place) const {
    return {back(place.offset), back(place.offset + place.length) - back(place.offset)};
  }

 private:
  [[nodiscard]] std::size_t back(std::size_t at) const {
    const auto end_of = [](const Hole& hole) { return hole.span.offset + hole.span.length; };
    const auto next =
        std::partition_point(in_json.begin(), in_json.end(), [&](const Hole& hole) { return end_of(hole) <= at; });
    if (next == in_json.begin()) return at;
    const auto last = std::prev(next);
    return at + end_of(holes[static_cast<std::size_t>(last - in_json.begin())]) - end_of(*last);
  }
};

HoledJson holed_json(std::string_view value, std::vector<Hole> holes) {
  HoledJson text;
  text.holes = std::move(holes);
  std::size_t done = 0;
  for (const Hole& hole : text.holes) {
    text.json.append(value, done, hole.span.offset - done);
    text.in_json.push_back({hole.part, {text.json.size(), 1}, hole.label});
    text.json += '1';
    done = hole.span.offset + hole.span.length;
  }
  text.json.append(value, done);
  return text;
}

/// The source of an object's members.
struct Members {
  const Param& whole;
  const HoledJson& text;
  bool is_body = false;  ///< each member has its own place in the request

  [[nodiscard]] Param param(std::string name, http::Span json_place) const {
    const http::Span place = text.back(json_place);
    Param param;
    param.name = std::move(name);
    param.value = whole.value.substr(place.offset, place.length);
    param.part = whole.part;
    param.raw = is_body ? place : whole.raw;
    param.holes = holes_within(text.holes, place);
    return param;
  }
};

/// Returns the text of a JSON string, and any other text unchanged: `"abc"` becomes `abc`.
std::string bare_text(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  const auto string = nlohmann::json::parse(value, nullptr, false);
  return string.is_string() ? string.get<std::string>() : std::string(value);
}

/// Returns the members of `object`, which is a part of the text of `members` and a JSON object.
std::vector<Param> object_params(std::string_view object, const Members& members, OwnNames* own) {
  std::vector<Param> params;
  for (const JsonMember& member : json_members(object).value_or(std::vector<JsonMember>())) {
    std::string name = json_key(member.key);
    std::optional<std::string>* const place = own == nullptr ? nullptr : own->place(name);
    if (place != nullptr && !*place) {
      *place = bare_text(member.value);
    } else {
      const auto offset = static_cast<std::size_t>(member.value.data() - members.text.json.data());
      params.push_back(members.param(std::move(name), {offset, member.value.size()}));
    }
  }
  return params;
}

/// Removes the quotes of a string that means the same without them.
void unquote(Param& param) {
  std::string& value = param.value;
  if (value.size() < 2 || value.front() != '"' || value.find('\\') != std::string::npos) return;
  std::string inside = value.substr(1, value.size() - 2);
  if (canonical_value(inside) != canonical_value(value)) return;
  param.holes = holes_within(param.holes, {1, inside.size()});
  value = std::move(inside);
  param.raw.offset += 1;
  param.raw.length -= 2;
}

}  // namespace

std::optional<std::vector<Param>> json_params_of_body(std::string_view body, const std::vector<Hole>& holes,
                                                      OwnNames* own) {
  Param whole;
  whole.value = body;
  whole.part = RequestPart::body;
  whole.raw = {0, body.size()};
  const HoledJson text = holed_json(body, holes_within(holes_in_order(holes, RequestPart::body), whole.raw));
  if (!base::trim(text.json, " \t\r\n").starts_with('{') || !is_json_text(text.json)) return std::nullopt;
  std::vector<Param> params = object_params(text.json, {whole, text, true}, own);
  for (Param& param : params) unquote(param);
  return params;
}

std::optional<std::vector<Call>> Call::parts() const {
  const Param* const compound = param("compound");
  if (compound == nullptr) return std::nullopt;
  const HoledJson text = holed_json(compound->value, compound->holes);
  const auto elements = is_json_text(text.json) ? json_elements(text.json) : std::nullopt;
  if (!elements) return std::nullopt;
  std::vector<Call> calls;
  for (const std::string_view element : *elements) {
    if (!element.starts_with('{')) return std::nullopt;
    OwnNames own;
    std::vector<Param> others = object_params(element, {*compound, text, false}, &own);
    calls.emplace_back(own.api.value_or(""), own.version.value_or(""), own.method.value_or(""), std::move(others),
                       prefix_);
  }
  return calls;
}

}  // namespace tapedeck::api
