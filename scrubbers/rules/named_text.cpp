// Finds named values in texts that are neither JSON nor a form, and in the strings within JSON and forms: KEY=VALUE
// lines, parameters after `;`, URLs inside of values, XML tags and attributes, and pairs in scripts.

#include <algorithm>

#include "scrubbers/rules/named_finds.h"
#include "scrubbers/rules/plain_values.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t longest_value = 4096;
constexpr std::size_t longest_tag = 1024;
constexpr int deepest_json = 3;
constexpr std::size_t npos = std::string_view::npos;

/// Returns the last position of `wanted` in [floor, at).
std::size_t last_within(std::string_view text, std::string_view wanted, std::size_t floor, std::size_t at) {
  const std::size_t found = text.substr(floor, at - floor).rfind(wanted);
  return found == npos ? npos : floor + found;
}

bool is_name(char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '[' || c == ']'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_blank_or_control(char c) { return c >= '\0' && c <= ' '; }
bool is_break(char c) { return c == '\n' || c == '\r' || c == '\0'; }

struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
};

/// Returns the name that ends at `end`, without quotes around it. `encoded`: the name may be percent-encoded.
Piece name_before(std::string_view text, std::size_t end, bool encoded = false) {
  if (end > 0 && text[end - 1] == '*') --end;
  while (end > 0 && base::is_blank(text[end - 1])) --end;
  if (end > 1 && text[end - 1] == ']' && is_quote(text[end - 2])) --end;  // page["name"]
  if (end > 0 && is_quote(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin < FoldedName::longest &&
         (is_name(text[begin - 1]) || (encoded && text[begin - 1] == '%'))) {
    --begin;
  }
  return {begin, end};
}

/// Returns true if only blanks, or a word such as `export`, precede `at` in its line.
bool begins_line(std::string_view text, std::size_t at) {
  static constexpr std::string_view words[] = {"export", "set", "-e", "-", "Environment="};
  const std::size_t floor = at > 64 ? at - 64 : 0;
  std::size_t begin = at;
  while (begin > floor && !is_break(text[begin - 1])) --begin;
  if (begin > 0 && !is_break(text[begin - 1])) return false;
  const std::string_view before = base::trim(text.substr(begin, at - begin), " \t\"");
  return before.empty() || std::find(std::begin(words), std::end(words), before) != std::end(words);
}

/// Returns the content of the string whose opening quote is at `at`.
Piece quoted(std::string_view text, std::size_t at) {
  const char mark = text[at];
  const std::size_t stop = std::min(text.size(), at + 1 + longest_value);
  std::size_t end = at + 1;
  while (end < stop && text[end] != mark && !is_break(text[end])) end += text[end] == '\\' ? 2 : 1;
  return end < stop && text[end] == mark ? Piece{at + 1, end} : Piece{};
}

/// Returns the value of an attribute of a tag, with or without quotes.
Piece attribute_at(std::string_view text, std::size_t at) {
  if (at < text.size() && is_quote(text[at])) return quoted(text, at);
  const std::size_t end = text.find_first_of(" \t\r\n\"'<>=`", at);
  return {at, std::min({end, text.size(), at + longest_value})};
}

/// Returns true if `&` or `;` is followed by a name and `=`, which begins another parameter.
bool begins_parameter(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && end - at < FoldedName::longest && is_name(text[end])) ++end;
  return end > at + 1 && end < text.size() && text[end] == '=';
}

Piece rest_of_line(std::string_view text, std::size_t at) {
  const std::size_t stop = std::min(text.size(), at + longest_value);
  std::size_t end = at;
  while (end < stop && !is_break(text[end]) && text[end] != '"' && text[end] != '<') {
    if ((text[end] == '&' || text[end] == ';' || text[end] == ',') && begins_parameter(text, end)) break;
    if (base::is_blank(text[end]) && end + 1 < stop && text[end + 1] == '#') break;
    ++end;
  }
  while (end > at && (base::is_blank(text[end - 1]) || text[end - 1] == ';' || text[end - 1] == '\'')) --end;
  return {at, end};
}

/// Returns the text up to the next separator. `in_path`: a matrix parameter, which ends with its path segment.
Piece up_to_separator(std::string_view text, std::size_t at, bool in_path) {
  const std::size_t stop = std::min(text.size(), at + longest_value);
  std::size_t end = at;
  while (end < stop && !is_blank_or_control(text[end])) {
    if (in_path && text[end] == '/') break;
    if (std::string_view("&;\"'<>(){}|\\#?").find(text[end]) != npos) break;
    if (text[end] == ',' && (end + 1 == stop || base::is_blank(text[end + 1]) || begins_parameter(text, end))) break;
    ++end;
  }
  return {at, end};
}

/// Returns true if the name at `at` begins a header in a command: -H 'X-Api-Key: …'.
bool is_header_of_command(std::string_view text, std::size_t at) {
  if (at == 0 || !is_quote(text[at - 1])) return false;
  const std::string_view before = text.substr(0, at - 1);
  return before.ends_with("-H") || before.ends_with("-H ") || before.ends_with("--header ") ||
         before.ends_with("--header=");
}

/// Returns the piece from `from` to the end of the quotes that begin at `quote`.
Piece quoted_from(std::string_view text, std::size_t quote, std::size_t from) {
  const Piece all = quoted(text, quote);
  return all.empty() ? all : Piece{from, all.end};
}

/// Returns true if `text` contains `name: `, with a space that generated JSON does not have.
bool has_line(std::string_view text) {
  for (std::size_t at = text.find(": "); at != npos; at = text.find(": ", at + 2)) {
    if (at > 0 && is_name(text[at - 1])) return true;
  }
  return false;
}

/// Returns true if a string of JSON in a string, or a string of a script, may hold names and values that only another
/// decoding shows.
bool may_hold_json(std::string_view text, NamedFinder::TextKind kind, Codec codec) {
  if (kind == NamedFinder::TextKind::code) return text.find(R"(\":\")") != npos;
  const bool is_decoded = kind == NamedFinder::TextKind::json && codec == Codec::json;
  return is_decoded && text.find('\\') != npos && (text.find('=') != npos || has_line(text));
}

/// Returns true if blanks may surround the equal sign. `password = …` and WireGuard's `PrivateKey = …` are settings,
/// but `token = …` is also common in code and prose; the leak scan reports it if the value looks random.
bool may_be_spaced(const ScrubRule& rule) { return rule.values != Values::token || rule.match == "privatekey"; }

/// Returns true if `(`, `.`, or a similar character shows that the value is a code expression.
bool looks_like_code(std::string_view text, Piece value) {
  return value.end < text.size() && (text[value.end] == '(' || text[value.end] == '{' || text[value.end] == ')');
}

}  // namespace

std::optional<RuleMatch> NamedFinder::rule_of_name(std::string_view name) const {
  return name.find('%') == npos ? rules_.name(name, context_)
                                : rules_.name(decode_text(Codec::percent, name), context_);
}

std::optional<RuleMatch> NamedFinder::rule_in_tag(std::string_view tag) const {
  std::optional<RuleMatch> rule;
  for (std::size_t sign = tag.find('='); !rule && sign != npos; sign = tag.find('=', sign + 1)) {
    const Piece attribute = name_before(tag, sign);
    if (!says_name(tag.substr(attribute.begin, attribute.end - attribute.begin))) continue;
    const Piece said = attribute_at(tag, sign + 1);
    rule = rules_.name(tag.substr(said.begin, said.end - said.begin), context_);
  }
  return rule;
}

bool NamedFinder::add_named(Part part, const Source& source, std::size_t begin, std::size_t end, RuleMatch rule,
                            Codec codec) {
  const std::string_view raw = source.text.substr(begin, end - begin);
  std::string value = decode_text(codec, raw);
  if (value.empty()) return false;
  Encoding encoding = encoding_of(codec, raw, value);
  return add_in(part, source, begin, end, std::move(value), std::move(encoding), rule);
}

Ranges NamedFinder::assignments(Part part, const Source& source, TextKind kind) {
  const std::string_view text = source.text;
  Ranges taken;
  for (std::size_t at = text.find('='); at != npos; at = text.find('=', at + 1)) {
    if (at == 0 || at + 1 >= text.size() || text[at + 1] == '=') continue;
    const Piece name = name_before(text, at, true);
    const auto rule = rule_of_name(text.substr(name.begin, name.end - name.begin));
    if (!rule) continue;
    const bool spaced = name.end < at && base::is_blank(text[at - 1]);
    if (spaced && !may_be_spaced(rules_.rule(rule->rule))) continue;
    const char before = name.begin == 0 ? '\0' : text[name.begin - 1];
    const bool line = kind != TextKind::url && kind != TextKind::code &&
                      ((kind == TextKind::json && before == '"') || begins_line(text, name.begin));
    // In a script, `;` ends a statement.
    const bool in_url = before == '?' || before == '&' || (kind != TextKind::code && (before == ';' || before == '#'));
    std::size_t from = at + 1;
    if (text[from] == '>') ++from;
    while (from < text.size() && base::is_blank(text[from])) ++from;
    if (from >= text.size()) continue;
    Piece value;
    if (is_quote(text[from]) || (kind == TextKind::code && text[from] == '`')) {
      value = quoted(text, from);
    } else if (kind == TextKind::code ? !in_url : spaced && !line) {
      continue;
    } else {
      value = line ? rest_of_line(text, from) : up_to_separator(text, from, kind == TextKind::url && before == ';');
      if (!line && looks_like_code(text, value)) continue;
    }
    if (value.empty()) continue;
    add_named(part, source, value.begin, value.end, *rule, in_url ? Codec::percent : Codec::html);
    taken.emplace_back(value.begin, value.end);
    at = value.end - 1;
  }
  return taken;
}

void NamedFinder::tags(Part part, const Source& source) {
  const std::string_view text = source.text;
  for (std::size_t at = text.find("</"); at != npos; at = text.find("</", at + 2)) {
    const std::size_t close = text.substr(0, std::min(text.size(), at + 2 + FoldedName::longest)).find('>', at);
    if (close == npos || at == 0) continue;
    std::string_view name = text.substr(at + 2, close - at - 2);
    const std::size_t floor = at > longest_value ? at - longest_value : 0;
    Piece value{0, at};
    if (text.substr(floor, at - floor).ends_with("]]>")) {
      constexpr std::string_view opening = "<![CDATA[";
      const std::size_t begin = last_within(text, opening, floor, at);
      if (begin == npos) continue;
      value = {begin + opening.size(), at - 3};
      if (begin == 0 || text[begin - 1] != '>') continue;
    } else {
      const std::size_t begin = last_within(text, ">", floor, at);
      if (begin == npos) continue;
      value.begin = begin + 1;
    }
    while (!value.empty() && is_blank_or_control(text[value.end - 1])) --value.end;
    std::size_t begin = value.begin;
    while (begin < value.end && is_blank_or_control(text[begin])) ++begin;
    if (begin == value.end || text.substr(begin, value.end - begin).find('<') != npos) continue;
    const std::size_t open_end = last_within(text, ">", value.begin - std::min(value.begin, longest_tag), value.begin);
    if (open_end == npos) continue;
    const std::size_t open = last_within(text, "<", open_end - std::min(open_end, longest_tag), open_end);
    if (open == npos) continue;
    const std::string_view head = text.substr(open + 1, open_end - open - 1);
    if (!head.starts_with(name)) continue;
    name.remove_prefix(std::min(name.find(':') + 1, name.size()));
    std::optional<RuleMatch> rule = rules_.name(name, context_);
    if (!rule) rule = rule_in_tag(head);  // as in <entry key="db.password">…</entry>
    if (rule) add_named(part, source, begin, value.end, *rule, Codec::html);
  }
}

// Finds "name":"value" in scripts and name="X" value="Y" in tags.
void NamedFinder::quoted_pairs(Part part, const Source& source, TextKind kind) {
  const std::string_view text = source.text;
  for (std::size_t at = text.find_first_of(":="); at != npos; at = text.find_first_of(":=", at + 1)) {
    if (at == 0 || at + 1 >= text.size()) continue;
    const Piece name = name_before(text, at);
    if (name.empty()) continue;
    const std::string_view said = text.substr(name.begin, name.end - name.begin);
    const bool is_attribute = text[at] == '=';
    if (is_attribute && !base::equal_no_case(said, "value") && !base::equal_no_case(said, "content")) continue;
    if (!is_attribute && (kind == TextKind::json || !rules_.endings().may_have(said))) continue;
    std::size_t from = at + 1;
    while (from < text.size() && base::is_blank(text[from])) ++from;
    if (from >= text.size()) continue;
    const bool in_quotes = text[from] == '"' || text[from] == '\'';
    std::optional<RuleMatch> rule;
    if (is_attribute) {
      const std::size_t open = last_within(text, "<", at - std::min(at, longest_tag), at);
      const std::size_t close = text.substr(0, std::min(text.size(), at + longest_tag)).find('>', at);
      if (open == npos || close == npos) continue;
      rule = rule_in_tag(text.substr(open, close - open));
    } else {
      rule = rules_.name(said, context_);
    }
    if (!rule) continue;
    if (is_attribute || in_quotes) {
      const Piece value = is_attribute ? attribute_at(text, from) : quoted(text, from);
      if (value.empty()) continue;
      add_named(part, source, value.begin, value.end, *rule, is_attribute ? Codec::html : Codec::json);
      at = value.end - 1;
    } else if (kind == TextKind::lines && from > at + 1 && is_header_of_command(text, name.begin)) {
      const Piece value = quoted_from(text, name.begin - 1, from);
      const bool one_word = text.substr(value.begin, value.end - value.begin).find(' ') == npos;
      if (!value.empty() && one_word) add_named(part, source, value.begin, value.end, *rule, Codec::html);
    } else if (kind == TextKind::lines && from > at + 1 && begins_line(text, name.begin)) {
      // The value is the rest of a line of YAML, or of a header inside of a text.
      const Piece value = rest_of_line(text, from);
      const bool one_word = text.substr(value.begin, value.end - value.begin).find_first_of(" \t{[|>") == npos;
      if (!value.empty() && one_word) add_named(part, source, value.begin, value.end, *rule, Codec::html);
    }
  }
}

// Finds percent-encoded URLs in values, such as `url=https%3A%2F%2F…%3Fpasswd%3D…`, also when they are encoded twice.
void NamedFinder::encoded_urls(Part part, const Source& source, int depth, const Ranges& taken) {
  constexpr int deepest = 6;
  constexpr std::size_t longest_token = 64 * 1024;
  if (depth >= deepest) return;
  const std::string_view text = source.text;
  const auto ends = [](char c) { return is_blank_or_control(c) || std::string_view("\"'<>&;").find(c) != npos; };
  auto next_taken = taken.begin();
  // Tokens do not overlap, so that each byte is decoded once.
  std::size_t done = 0;
  for (std::size_t at = text.find('%'); at != npos; at = text.find('%', done)) {
    std::size_t begin = at;
    const std::size_t floor = std::max(done, at - std::min(at, longest_value));
    while (begin > floor && !ends(text[begin - 1])) --begin;
    std::size_t end = at + 1;
    while (end < text.size() && end - at < longest_token && !ends(text[end])) ++end;
    done = end;
    // A found value is not searched for further values.
    while (next_taken != taken.end() && next_taken->second <= begin) ++next_taken;
    if (next_taken != taken.end() && next_taken->first < end) continue;
    View view;
    if (!decode_view(Codec::percent, text.substr(begin, end - begin), view)) continue;
    whole_text(part, {view.text, &source, Codec::percent, &view.map, begin}, Keys::parameters, TextKind::url,
               depth + 1);
  }
}

void NamedFinder::lines_in_strings(Part part, const Source& source) {
  const std::string_view text = source.text;
  for (std::size_t at = text.find(": "); at != npos; at = text.find(": ", at + 1)) {
    if (at == 0 || !is_name(text[at - 1])) continue;
    const Piece name = name_before(text, at);
    const std::string_view said = text.substr(name.begin, name.end - name.begin);
    const auto rule = rules_.name(said, context_);
    if (!rule) continue;
    const bool begins = name.begin > 0 && text[name.begin - 1] == '"';
    const bool in_command = is_header_of_command(text, name.begin);
    if (!begins && !in_command && !begins_line(text, name.begin)) continue;
    std::size_t from = at + 1;
    while (from < text.size() && base::is_blank(text[from])) ++from;
    const bool in_quotes = from < text.size() && (text[from] == '"' || text[from] == '\'');
    const Piece value = in_command  ? quoted_from(text, name.begin - 1, from)
                        : in_quotes ? quoted(text, from)
                                    : rest_of_line(text, from);
    if (value.empty()) continue;
    const std::string_view raw = text.substr(value.begin, value.end - value.begin);
    const bool is_setting = may_be_spaced(rules_.rule(rule->rule)) || looks_random(raw);
    if (is_setting && raw.find_first_of(" \t{[|>") == npos) {
      add_named(part, source, value.begin, value.end, *rule, Codec::html);
    }
    at = value.end - 1;
  }
}

void NamedFinder::plain_text(Part part, std::size_t offset, std::size_t length, TextKind kind) {
  const Source whole{texts_[part]};
  const View piece{std::string(whole.text.substr(offset, length)), {}};
  inner_texts(part, {piece.text, &whole, Codec::percent, &piece.map, offset}, kind, 0);
}

void NamedFinder::inner_texts(Part part, const Source& source, TextKind kind, int depth) {
  const auto has = [&source](const auto& text) { return source.text.find(text) != npos; };
  View view;
  const Ranges taken = has('=') ? assignments(part, source, kind) : Ranges();
  if (has("</")) tags(part, source);
  if (kind == TextKind::lines || kind == TextKind::code || (kind == TextKind::json && has('<')))
    quoted_pairs(part, source, kind);
  if (kind == TextKind::json) lines_in_strings(part, source);
  if (depth < deepest_json && may_hold_json(source.text, kind, source.codec) &&
      decode_view(Codec::json, source.text, view)) {
    const Source inside{view.text, &source, Codec::json, &view.map, 0};
    anchored_patterns(part, inside, 0, view.text.size());
    inner_texts(part, inside, kind, depth + 1);
  }
  encoded_urls(part, source, depth, taken);
  if (source.codec != Codec::html && has('&') && decode_view(Codec::html, source.text, view)) {
    const Source inside{view.text, &source, Codec::html, &view.map, 0};
    anchored_patterns(part, inside, 0, view.text.size());
    encoded_urls(part, inside, depth, {});
  }
}

void NamedFinder::body_texts(Part part, TextKind kind) {
  const Source whole{texts_[part]};
  anchored_patterns(part, whole, 0, whole.text.size());
  if (!rules_.endings().empty() && reads_names(part)) inner_texts(part, whole, kind, 0);
}

}  // namespace tapedeck::scrubbers
