#include "api/json_params.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/key_text.h"

namespace tapedeck::api {
namespace {

/// Reads a text that is known to be valid JSON, and returns the places of its pieces. Counts nesting instead of
/// recursing.
class JsonWalker {
 public:
  explicit JsonWalker(std::string_view text) : text_(text) {}

  /// Skips white space and separators between members. Returns the next character, or 0 at the end.
  char peek() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void skip_mark() { ++at_; }

  /// Returns the value that begins at the position of peek().
  http::Span value() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else {
        depth += c == '[' || c == '{' ? 1 : 0;
        depth -= c == ']' || c == '}' ? 1 : 0;
        ++at_;
      }
    } while (at_ < text_.size() && (depth > 0 || !ends_scalar(begin)));
    return {begin, at_ - begin};
  }

 private:
  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  [[nodiscard]] bool ends_scalar(std::size_t begin) const {
    const char first = text_[begin];
    if (first == '"' || first == '[' || first == '{') return true;
    return std::string_view(" \t\r\n,]}").find(text_[at_]) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

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
    std::size_t result = at;
    for (std::size_t i = 0; i < holes.size() && in_json[i].span.offset + in_json[i].span.length <= at; ++i) {
      result += holes[i].span.length;
      result -= in_json[i].span.length;
    }
    return result;
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
    for (const Hole& hole : holes_within(text.holes, RequestPart::body, place)) {
      const http::Span in_body{hole.span.offset + place.offset, hole.span.length};
      param.holes.push_back({whole.part, is_body ? in_body : whole.raw, hole.label});
      param.places.push_back(hole.span);
    }
    return param;
  }
};

/// Returns the members of the object that begins at the walker's position.
std::vector<Param> object_params(JsonWalker& walker, const Members& members, OwnNames* own) {
  std::vector<Param> params;
  const std::string_view json = members.text.json;
  walker.skip_mark();
  while (walker.peek() != '}') {
    const http::Span key = walker.value();
    std::string name = bare_text(json.substr(key.offset, key.length));
    walker.peek();
    const http::Span value = walker.value();
    std::optional<std::string>* const place = own == nullptr ? nullptr : own->place(name);
    if (place != nullptr && !*place) {
      *place = bare_text(json.substr(value.offset, value.length));
    } else {
      params.push_back(members.param(std::move(name), value));
    }
  }
  walker.skip_mark();
  return params;
}

bool is_json_text(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

/// Removes the quotes of a string that means the same without them.
void unquote(Param& param) {
  std::string& value = param.value;
  if (value.size() < 2 || value.front() != '"' || value.find('\\') != std::string::npos) return;
  std::string inside = value.substr(1, value.size() - 2);
  if (canonical_value(inside) != canonical_value(value)) return;
  value = std::move(inside);
  param.raw.offset += 1;
  param.raw.length -= 2;
  for (http::Span& place : param.places) place.offset -= 1;
}

}  // namespace

std::string bare_text(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  const auto string = nlohmann::json::parse(value, nullptr, false);
  return string.is_string() ? string.get<std::string>() : std::string(value);
}

std::optional<std::vector<JsonParams>> json_params_of_list(const Param& list) {
  const HoledJson text = holed_json(list.value, value_holes(list));
  if (!is_json_text(text.json)) return std::nullopt;
  JsonWalker walker(text.json);
  if (walker.peek() != '[') return std::nullopt;
  walker.skip_mark();
  std::vector<JsonParams> objects;
  while (walker.peek() != ']') {
    if (walker.peek() != '{') return std::nullopt;
    JsonParams& object = objects.emplace_back();
    object.others = object_params(walker, {list, text, false}, &object.own);
  }
  return objects;
}

std::optional<std::vector<Param>> json_params_of_body(std::string_view body, const std::vector<Hole>& holes,
                                                      OwnNames* own) {
  Param whole;
  whole.value = body;
  whole.part = RequestPart::body;
  whole.raw = {0, body.size()};
  const HoledJson text = holed_json(body, holes_within(holes, RequestPart::body, whole.raw));
  JsonWalker walker(text.json);
  if (walker.peek() != '{' || !is_json_text(text.json)) return std::nullopt;
  std::vector<Param> params = object_params(walker, {whole, text, true}, own);
  for (Param& param : params) unquote(param);
  return params;
}

}  // namespace tapedeck::api
