// Finds values in XML and HTML: the text of an element with the name of a secret, attributes, and pairs such as
// name="passwd" value="…" and <entry key="passwd">…</entry>.

#include <algorithm>

#include "base/text.h"
#include "scrubbers/rules/named_finds.h"

namespace tapedeck::scrubbers {
namespace {

using base::npos;

bool begins_tag(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  return base::is_letter(next) || next == '/' || next == '!' || next == '?' || next == '_';
}

std::size_t next_tag(std::string_view text, std::size_t at) {
  for (at = text.find('<', at); at != npos && !begins_tag(text, at);) at = text.find('<', at + 1);
  return std::min(at, text.size());
}

/// Returns the place of the `>` of the tag that begins at `at`, or the size of the text.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '>') {
    const bool opens = (text[at] == '"' || text[at] == '\'') && at > 0 && text[at - 1] == '=';
    const std::size_t close = opens ? text.find(text[at], at + 1) : npos;
    at = (close == npos ? at : close) + 1;
  }
  return at;
}

bool is_white_or_control(char c) { return c >= '\0' && c <= ' '; }

std::string_view name_of_tag(std::string_view inside) {
  const auto end =
      std::find_if(inside.begin(), inside.end(), [](char c) { return is_white_or_control(c) || c == '/'; });
  return inside.substr(0, static_cast<std::size_t>(end - inside.begin()));
}

}  // namespace

void NamedFinder::markup(const NestedText& source, int depth) {
  const std::string_view text = source.text();
  std::optional<RuleMatch> rule;
  std::string_view name;  // of the tag before the text
  const auto rule_until = [&](std::size_t end) {
    const bool closes =
        text.substr(end).starts_with("</") && text.substr(std::min(end + 2, text.size())).starts_with(name);
    return closes ? rule : std::nullopt;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = next_tag(text, at);
    if (open > at) element_text(source, {at, open}, Codec::html, rule_until(open), depth);
    if (open == text.size()) return;
    const std::string_view rest = text.substr(open);
    if (rest.starts_with("<![CDATA[") || rest.starts_with("<!--")) {
      const bool is_data = rest[2] == '[';
      const std::size_t begin = open + (is_data ? 9 : 4),
                        end = std::min(text.find(is_data ? "]]>" : "-->", begin), text.size());
      at = std::min(end + 3, text.size());
      element_text(source, {std::min(begin, end), end}, std::nullopt, is_data ? rule_until(at) : std::nullopt, depth);
      continue;
    }
    const std::size_t end = end_of_tag(text, open + 1);
    const std::string_view inside = text.substr(open + 1, end - open - 1);
    rule = tag(source, {open + 1, end}, depth);
    name = name_of_tag(inside);
    at = std::min(end + 1, text.size());
    if (!base::equal_no_case(name, "script")) continue;
    const std::size_t script = at;
    at = std::min(text.find("</", at), text.size());
    while (at < text.size() && !base::equal_no_case(text.substr(at + 2, name.size()), name)) {
      at = std::min(text.find("</", at + 2), text.size());
    }
    string(NestedText(source, script, at), Kind::code, depth + 1);
  }
}

void NamedFinder::element_text(const NestedText& source, Piece content, std::optional<Codec> codec,
                               std::optional<RuleMatch> rule, int depth) {
  while (!content.empty() && is_white_or_control(source.text()[content.end - 1])) --content.end;
  while (!content.empty() && is_white_or_control(source.text()[content.begin])) ++content.begin;
  if (content.empty() || (rule && add(source, content, *rule, codec))) return;
  string(NestedText(source, content.begin, content.end, codec), Kind::words, depth + 1);
}

std::optional<RuleMatch> NamedFinder::tag(const NestedText& source, Piece inside, int depth) {
  const std::string_view text = source.text();
  std::string_view name = name_of_tag(source.piece(inside.begin, inside.end));
  if (name.starts_with('/')) return std::nullopt;
  std::optional<RuleMatch> said;  // the rule for the name that an attribute says
  Piece value;                    // the attribute with the value for it
  for (std::size_t at = inside.begin + name.size(); at < inside.end;) {
    const std::size_t equals = text.substr(0, inside.end).find('=', at);
    if (equals == npos) break;
    std::size_t begin = equals;
    while (begin > at && is_white_or_control(text[begin - 1])) --begin;
    const std::size_t name_end = begin;
    while (begin > at && !is_white_or_control(text[begin - 1]) && text[begin - 1] != '"' && text[begin - 1] != '\'')
      --begin;
    const std::string_view attribute = source.piece(begin, name_end);
    Piece content{std::min(text.find_first_not_of(" \t\r\n", equals + 1), inside.end), inside.end};
    const char mark = content.empty() ? ' ' : text[content.begin];
    if (mark == '"' || mark == '\'') {
      ++content.begin;
      content.end = std::min(text.find(mark, content.begin), inside.end);
    } else {
      content.end = std::min(text.find_first_of(" \t\r\n>", content.begin), inside.end);
    }
    at = std::max(content.end, equals + 1);
    const std::string_view written = source.piece(content.begin, content.end);
    if (base::equal_no_case(attribute, "value") || base::equal_no_case(attribute, "content")) {
      value = content;
    } else if (says_name(attribute) && rules_.name(written, context_)) {
      said = rules_.name(written, context_);
    } else if (base::equal_no_case(attribute.substr(0, 2), "on")) {
      string(NestedText(source, content.begin, content.end, Codec::html), Kind::code, depth + 1);
    } else {
      element_text(source, content, Codec::html, rules_.name(attribute, context_), depth);
    }
  }
  if (!value.empty()) element_text(source, value, Codec::html, said, depth);
  name.remove_prefix(std::min(name.find(':') + 1, name.size()));
  const std::optional<RuleMatch> own = rules_.name(name, context_);
  return own ? own : said;
}

}  // namespace tapedeck::scrubbers
