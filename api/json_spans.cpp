#include "api/json_spans.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tapedeck::api {
namespace {

/// find_first_of compares each byte with its whole set, which is slower.
constexpr bool is_structural(char c) { return c == '"' || c == '{' || c == '}' || c == '[' || c == ']'; }

class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) { skip_space(); }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  /// Skips `c` and the white space after it.
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  /// Reads a string with its quotes. Returns nothing if there is no complete string.
  std::optional<std::string_view> string() {
    const std::size_t begin = at_;
    if (at_end() || text_[at_] != '"' || !skip_string()) return std::nullopt;
    return piece(begin);
  }

  /// Reads any value: a whole string, object, or array, or other text up to the next separator.
  std::optional<std::string_view> value() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    do {
      if (at_end()) return std::nullopt;
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) return std::nullopt;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return std::nullopt;
        --depth;
        ++at_;
      } else if (depth == 0) {
        at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        if (at_ == begin) return std::nullopt;
      } else {
        while (!at_end() && !is_structural(text_[at_])) ++at_;
      }
    } while (depth > 0);
    return piece(begin);
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool skip_string() {
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        ++at_;
        return true;
      }
    }
    at_ = text_.size();
    return false;
  }

  std::string_view piece(std::size_t begin) {
    const std::string_view found = text_.substr(begin, at_ - begin);
    skip_space();
    return found;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_json_text(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

std::optional<std::vector<JsonMember>> json_members(std::string_view object) {
  Walker walker(object);
  std::vector<JsonMember> members;
  if (!walker.take('{')) return std::nullopt;
  if (walker.take('}')) return walker.at_end() ? std::optional(members) : std::nullopt;
  do {
    const auto key = walker.string();
    if (!key || !walker.take(':')) return std::nullopt;
    const auto value = walker.value();
    if (!value) return std::nullopt;
    members.push_back({key->substr(1, key->size() - 2), *value});
  } while (walker.take(','));
  return walker.take('}') && walker.at_end() ? std::optional(std::move(members)) : std::nullopt;
}

std::optional<std::vector<std::string_view>> json_elements(std::string_view array) {
  Walker walker(array);
  std::vector<std::string_view> elements;
  if (!walker.take('[')) return std::nullopt;
  if (walker.take(']')) return walker.at_end() ? std::optional(elements) : std::nullopt;
  do {
    const auto value = walker.value();
    if (!value) return std::nullopt;
    elements.push_back(*value);
  } while (walker.take(','));
  return walker.take(']') && walker.at_end() ? std::optional(std::move(elements)) : std::nullopt;
}

std::optional<std::string_view> json_member(std::string_view object, std::string_view key) {
  const auto members = json_members(object);
  if (!members) return std::nullopt;
  const auto found =
      std::find_if(members->rbegin(), members->rend(), [key](const JsonMember& member) { return member.key == key; });
  return found == members->rend() ? std::nullopt : std::optional(found->value);
}

std::string json_quoted(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tapedeck::api
