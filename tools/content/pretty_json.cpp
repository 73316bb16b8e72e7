#include "tools/content/pretty_json.h"

#include "api/json_patch.h"

namespace tapedeck::tools {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Returns the position after the string that begins at `at`. Requires that the text is JSON.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return at + 1;
}

/// Calls `token` for each piece without white space: brackets, commas, colons, and whole values.
template <class Token>
void each_token(std::string_view text, const Token& token) {
  constexpr std::string_view marks = "{}[],:";
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (text[at] == '"') {
      end = end_of_string(text, at);
    } else if (marks.find(text[at]) == std::string_view::npos) {
      while (end < text.size() && !is_space(text[end]) && marks.find(text[end]) == std::string_view::npos) ++end;
    }
    token(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

std::optional<std::string> pretty_json(std::string_view text) {
  if (!api::is_json(text)) return std::nullopt;
  std::string out;
  std::size_t depth = 0;
  bool opened = false;  // the last token opened an object or array
  const auto new_line = [&] { out.append("\n").append(2 * depth, ' '); };
  each_token(text, [&](std::string_view token) {
    const bool closes = token == "}" || token == "]";
    if (closes) --depth;
    if (opened != closes) new_line();
    opened = token == "{" || token == "[";
    out += token;
    if (opened) ++depth;
    if (token == ",") new_line();
    if (token == ":") out += ' ';
  });
  return out;
}

std::optional<std::string> compact_json(std::string_view text) {
  if (!api::is_json(text)) return std::nullopt;
  std::string out;
  each_token(text, [&](std::string_view token) { out += token; });
  return out;
}

std::optional<std::string> lossless_pretty(std::string_view text) {
  auto pretty = pretty_json(text);
  if (!pretty || compact_json(*pretty) != std::optional<std::string>(text)) return std::nullopt;
  return pretty;
}

}  // namespace tapedeck::tools
