#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/call.h"
#include "api/key_text.h"

namespace tapedeck::api {
namespace {

/// Walks a text that is known to be JSON and hands out the places of its pieces; nesting is counted, not recursed into.
class JsonWalker {
 public:
  explicit JsonWalker(std::string_view text) : text_(text) {}

  /// The next character that is no white space and no separator between members; 0 at the end.
  char peek() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void skip_mark() { ++at_; }

  /// The value that begins at peek()'s place.
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

/// A compound's text as JSON, in which every hole is a number: a placeholder where a number was is no JSON.
struct CompoundText {
  std::string json;
  std::vector<Hole> holes;    ///< places in the parameter's value
  std::vector<Hole> in_json;  ///< the same in `json`

  /// The place in the value of a place in `json` that does not begin or end inside a hole.
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

CompoundText compound_text(const Param& param) {
  CompoundText text;
  text.holes = value_holes(param);
  std::size_t done = 0;
  for (const Hole& hole : text.holes) {
    text.json.append(param.value, done, hole.span.offset - done);
    text.in_json.push_back({hole.part, {text.json.size(), 1}, hole.label});
    text.json += '1';
    done = hole.span.offset + hole.span.length;
  }
  text.json.append(param.value, done);
  return text;
}

/// A string's text, or a scalar's as it is spelled.
std::string bare_text(std::string_view json) {
  if (!json.starts_with('"')) return std::string(json);
  const auto string = nlohmann::json::parse(json, nullptr, false);
  return string.is_string() ? string.get<std::string>() : std::string();
}

Param part_param(const Param& compound, const CompoundText& text, std::string name, http::Span json_place) {
  const http::Span place = text.back(json_place);
  Param param;
  param.name = std::move(name);
  param.value = compound.value.substr(place.offset, place.length);
  param.part = compound.part;
  param.raw = compound.raw;
  for (const Hole& hole : holes_within(text.holes, RequestPart::body, place)) {
    param.holes.push_back({compound.part, compound.raw, hole.label});
    param.places.push_back(hole.span);
  }
  return param;
}

/// The object that begins at the walker's place.
Call part_call(JsonWalker& walker, const Param& compound, const CompoundText& text) {
  std::optional<std::string> api;
  std::optional<std::string> version;
  std::optional<std::string> method;
  std::vector<Param> params;
  const std::string_view json = text.json;
  walker.skip_mark();
  while (walker.peek() != '}') {
    const http::Span key = walker.value();
    std::string name = bare_text(json.substr(key.offset, key.length));
    walker.peek();
    const http::Span value = walker.value();
    std::optional<std::string>* const own = name == "api"       ? &api
                                            : name == "version" ? &version
                                            : name == "method"  ? &method
                                                                : nullptr;
    if (own != nullptr && !*own) {
      *own = bare_text(json.substr(value.offset, value.length));
    } else {
      params.push_back(part_param(compound, text, std::move(name), value));
    }
  }
  walker.skip_mark();
  return Call(api.value_or(""), version.value_or(""), method.value_or(""), std::move(params));
}

}  // namespace

std::optional<std::vector<Call>> Call::parts() const {
  const Param* const compound = param("compound");
  if (compound == nullptr || compound->value.find('\0') != std::string::npos) return std::nullopt;
  const CompoundText text = compound_text(*compound);
  if (!nlohmann::json::accept(text.json)) return std::nullopt;
  JsonWalker walker(text.json);
  if (walker.peek() != '[') return std::nullopt;
  walker.skip_mark();
  std::vector<Call> calls;
  while (walker.peek() != ']') {
    if (walker.peek() != '{') return std::nullopt;
    calls.push_back(part_call(walker, *compound, text));
  }
  return calls;
}

}  // namespace tapedeck::api
