#include "scrubbers/rules/pair_name.h"

#include <algorithm>

#include "base/text.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t reach = 4096;

/// Returns the content of the string whose quote is at `at`, and moves `at` to its end.
std::string_view take_string(std::string_view text, std::size_t& at) {
  const std::size_t begin = ++at;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  const std::size_t end = std::min(at, text.size());
  at = end + 1;
  return text.substr(begin, end - begin);
}

void skip_space(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
}

}  // namespace

bool says_name(std::string_view key) {
  static constexpr std::string_view words[] = {"key",      "name",   "field",        "param",   "parameter", "variable",
                                               "var",      "option", "env",          "setting", "attribute", "attr",
                                               "property", "prop",   "env_variable", "id",      "k"};
  return std::any_of(std::begin(words), std::end(words), [&](auto word) { return base::equal_no_case(key, word); });
}

std::optional<std::string> pair_name(std::string_view text, std::size_t object) {
  if (object >= text.size() || text[object] != '{') return std::nullopt;
  text = text.substr(object + 1, reach);
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c != '"') {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth < 0) return std::nullopt;
      ++at;
      continue;
    }
    const std::string_view key = take_string(text, at);
    skip_space(text, at);
    if (depth != 0 || at >= text.size() || text[at] != ':') continue;
    skip_space(text, ++at);
    if (at >= text.size() || text[at] != '"' || !says_name(key)) continue;
    return decode_text(Codec::json, take_string(text, at));
  }
  return std::nullopt;
}

}  // namespace tapedeck::scrubbers
