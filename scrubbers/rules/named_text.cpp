// Finds names with values, and shapes, inside of one string: settings, commands, lines, URLs, and the strings that it
// contains in JSON, base64, percent encoding, or with character references.

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/rules/plain_values.h"

namespace tapedeck::scrubbers {
namespace {

using base::npos;

constexpr int deepest_string = 6;

bool is_name(char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '[' || c == ']'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_blank_or_control(char c) { return c >= '\0' && c <= ' '; }
bool is_break(char c) { return c == '\n' || c == '\r' || c == '\0'; }
bool is_token(char c) { return base::is_alnum(c) || c == '_' || c == '-'; }

bool is_scheme(char c) { return base::is_alnum(c) || c == '+' || c == '-' || c == '.'; }

/// Returns true for the beginning of an object or list in JSON, and false for one of `{SSHA}…` or `[section]`.
bool opens_json(std::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next == npos || is_quote(text[next]) || std::string_view("{[}]-0123456789").find(text[next]) != npos;
}

/// A name before a sign, without the quotes around it.
struct Name {
  std::size_t begin, end;
  char before;  ///< 0 at the beginning of the text
};

Name name_ending_at(std::string_view text, std::size_t end) {
  if (end > 0 && text[end - 1] == '*') --end;
  while (end > 0 && base::is_blank(text[end - 1])) --end;
  if (end > 1 && text[end - 1] == ']' && is_quote(text[end - 2])) --end;  // page["name"]
  if (end > 0 && is_quote(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin < FoldedName::longest && (is_name(text[begin - 1]) || text[begin - 1] == '%')) {
    --begin;
  }
  return {begin, end, begin == 0 ? '\0' : text[begin - 1]};
}

/// Returns true if only blanks, or a word such as `export`, precede `at` in its line.
bool begins_line(std::string_view text, std::size_t at) {
  static constexpr std::string_view words[] = {"export", "set", "-e", "-", "Environment="};
  const std::size_t floor = at > 64 ? at - 64 : 0;
  std::size_t begin = at;
  while (begin > floor && !is_break(text[begin - 1])) --begin;
  if (begin > 0 && !is_break(text[begin - 1])) return false;
  const std::string_view before = base::trim(text.substr(begin, at - begin), " \t\"'");
  return before.empty() || std::find(std::begin(words), std::end(words), before) != std::end(words);
}

/// Returns the end of the string whose opening quote is at `at`, or npos.
std::size_t end_of_quotes(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && !is_break(text[end])) end += text[end] == '\\' ? 2 : 1;
  return end < text.size() && text[end] == text[at] ? end : npos;
}

/// Returns true if `&` or `;` is followed by a name and `=`, which begins another parameter.
bool begins_parameter(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && end - at < FoldedName::longest && is_name(text[end])) ++end;
  return end > at + 1 && end < text.size() && text[end] == '=';
}

/// Returns the end of a value that reaches to the end of its line, or to `quote`.
std::size_t end_of_line(std::string_view text, std::size_t at, char quote) {
  std::size_t end = at;
  for (; end < text.size() && !is_break(text[end]) && (!is_quote(quote) || text[end] != quote); ++end) {
    if ((text[end] == '&' || text[end] == ';' || text[end] == ',') && begins_parameter(text, end)) break;
    if (base::is_blank(text[end]) && end + 1 < text.size() && text[end + 1] == '#') break;
  }
  while (end > at && (base::is_blank(text[end - 1]) || text[end - 1] == ';' || text[end - 1] == '\'')) --end;
  return end;
}

/// Returns the end of a value that reaches to the next separator. `in_path`: or to the end of its path segment.
std::size_t end_of_token(std::string_view text, std::size_t at, bool in_path) {
  std::size_t end = at;
  for (; end < text.size() && !is_blank_or_control(text[end]); ++end) {
    if (in_path && text[end] == '/') break;
    if (std::string_view("&;\"'<>(){}|\\#?").find(text[end]) != npos) break;
    const bool ends_word = end + 1 == text.size() || base::is_blank(text[end + 1]) || begins_parameter(text, end);
    if (text[end] == ',' && ends_word) break;
  }
  return end;
}

/// Returns true if the name at `at` begins a header in a command: -H 'X-Api-Key: …'.
bool is_header_of_command(std::string_view text, std::size_t at) {
  if (at == 0 || !is_quote(text[at - 1])) return false;
  const std::string_view before = text.substr(0, at - 1);
  return before.ends_with("-H") || before.ends_with("-H ") || before.ends_with("--header ") ||
         before.ends_with("--header=");
}

/// Returns true if blanks may surround the equal sign. `password = …` and WireGuard's `PrivateKey = …` are settings,
/// but `token = …` is also common in code and prose; the leak scan reports it if the value looks random.
bool may_be_spaced(const ScrubRule& rule) { return rule.values != Values::token || rule.match == "privatekey"; }

bool is_markup(std::string_view text) {
  if (text.find('<') == npos) return false;
  return text.find("</") != npos || text.find("/>") != npos || text.find("<input") != npos ||
         text.find("<meta") != npos || text.find("<?xml") != npos;
}

/// Returns the end of the JSON that begins with the bracket at `at`: behind its closing bracket, or of the text.
std::size_t end_of_json(std::string_view text, std::size_t at) {
  char quote = '\0';
  for (int open = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == '\\') ++at;
      if (c == quote) quote = '\0';
    } else if (is_quote(c)) {
      quote = c;
    } else {
      open += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (open == 0) return at + 1;
    }
  }
  return text.size();
}

}  // namespace

bool NamedFinder::may_hold_more(std::string_view text) {
  constexpr std::size_t long_text = 16;  // a shape without any of these characters is longer
  static constexpr std::string_view marks = "%=<:/ &{[$\\";
  static constexpr auto is_mark = [] {
    std::array<bool, 256> table{};
    for (const char c : marks) table[static_cast<std::uint8_t>(c)] = true;
    return table;
  }();
  return text.size() >= long_text ||
         std::any_of(text.begin(), text.end(), [](char c) { return is_mark[static_cast<std::uint8_t>(c)]; });
}

std::optional<RuleMatch> NamedFinder::rule_of_name(std::string_view name) const {
  return name.find('%') == npos ? rules_.name(name, context_)
                                : rules_.name(decode_text(Codec::percent, name), context_);
}

std::vector<NamedFinder::Piece> NamedFinder::assignments(const NestedText& source, Kind kind) {
  const std::string_view text = source.text();
  std::vector<Piece> taken;
  std::size_t searched = 0;  // no value that begins before this ends with a separator
  for (std::size_t at = text.find('='); at != npos; at = text.find('=', at + 1)) {
    if (at == 0 || at + 1 >= text.size() || text[at + 1] == '=') continue;
    const Name name = name_ending_at(text, at);
    const auto rule = rule_of_name(source.piece(name.begin, name.end));
    if (!rule) continue;
    const bool is_code = kind == Kind::code;
    const bool spaced = base::is_blank(text[at - 1]) && !may_be_spaced(rules_.rule(rule->rule));
    // In a script, `;` ends a statement.
    const bool in_url =
        name.before == '?' || name.before == '&' || (!is_code && (name.before == ';' || name.before == '#'));
    std::size_t from = at + 1;
    if (text[from] == '>') ++from;
    while (from < text.size() && base::is_blank(text[from])) ++from;
    if (from >= text.size()) continue;
    Piece value{from, from};
    if (is_quote(text[from]) || (is_code && text[from] == '`')) {
      const std::size_t end = end_of_quotes(text, from);
      if (end == npos) continue;
      value = {from + 1, end};
      if (spaced && (!is_code || !looks_like_id(source.piece(value.begin, value.end)))) continue;
    } else if (spaced || (is_code && !in_url)) {
      continue;
    } else if (kind != Kind::path && !is_code && begins_line(text, name.begin)) {
      value.end = end_of_line(text, from, name.before);
    } else if (base::is_blank(text[at - 1]) || from < searched) {
      continue;
    } else {
      value.end = end_of_token(text, from, kind == Kind::path && name.before == ';');
      // A character of code shows that the value is an expression.
      if (value.end < text.size() && std::string_view("({)").find(text[value.end]) != npos) {
        searched = value.end;
        continue;
      }
    }
    if (value.empty()) continue;
    static_cast<void>(add(source, value, *rule, in_url ? std::optional(Codec::percent) : std::nullopt));
    taken.push_back(value);
    at = value.end - 1;
  }
  return taken;
}

void NamedFinder::colons(const NestedText& source, Kind kind) {
  const std::string_view text = source.text();
  for (std::size_t at = text.find(':'); at != npos; at = text.find(':', at + 1)) {
    if (at == 0 || at + 1 >= text.size()) continue;
    const Name name = name_ending_at(text, at);
    if (!rules_.endings().may_have(source.piece(name.begin, name.end))) continue;
    const auto match = rules_.name(source.piece(name.begin, name.end), context_);
    if (!match) continue;
    std::size_t from = at + 1;
    while (from < text.size() && base::is_blank(text[from])) ++from;
    if (from >= text.size()) return;
    const ScrubRule& rule = rules_.rule(match->rule);
    const bool in_command = is_header_of_command(text, name.begin);
    const bool in_line = kind != Kind::code && from > at + 1 && (in_command || begins_line(text, name.begin));
    Piece value{from, from};
    const bool in_quotes = is_quote(text[from]) && !in_command;
    if (in_quotes && (in_line || kind == Kind::code || kind == Kind::lines)) {
      value = {from + 1, end_of_quotes(text, from)};
      if (value.end == npos) continue;
    } else if (in_line) {
      // The rest of a line of YAML, or of a header inside of a text.
      value.end = in_command ? std::min(end_of_quotes(text, name.begin - 1), text.size())
                             : end_of_line(text, from, name.before);
      const std::string_view said = source.piece(value.begin, value.end);
      const bool is_setting = kind == Kind::lines || in_command || may_be_spaced(rule) || looks_random(said);
      if (!is_setting || said.find_first_of(" \t{[|>") != npos) continue;
    }
    if (value.empty()) continue;
    static_cast<void>(add(source, value, *match, in_quotes ? std::optional(Codec::json) : std::nullopt));
    at = value.end - 1;
  }
}

void NamedFinder::json_inside(const NestedText& source, int depth) {
  const std::string_view text = source.text();
  for (std::size_t at = text.find_first_of("{["); at != npos; at = text.find_first_of("{[", at)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n{[", at + 1);
    if (next == npos) return;
    // An object with bare keys may be a whole string only.
    if (!is_quote(text[next]) && at > 0) {
      at = next;
      continue;
    }
    const std::size_t end = end_of_json(text, at);
    json(NestedText(source, at, end), depth + 1);
    at = end;
  }
}

void NamedFinder::encoded_pieces(const NestedText& source, const std::vector<Piece>& taken, Kind kind, int depth) {
  const std::string_view text = source.text();
  const auto ends = [](char c) { return is_blank_or_control(c) || std::string_view("\"'<>&;").find(c) != npos; };
  auto next_taken = taken.begin();
  // Pieces do not overlap, so that each byte is decoded once.
  std::size_t done = 0;
  for (std::size_t at = text.find('%'); at != npos; at = text.find('%', done)) {
    Piece piece{at, at + 1};
    while (piece.begin > done && !ends(text[piece.begin - 1])) --piece.begin;
    while (piece.end < text.size() && !ends(text[piece.end])) ++piece.end;
    done = piece.end;
    // A found value is not searched for further values.
    while (next_taken != taken.end() && next_taken->end <= piece.begin) ++next_taken;
    if (next_taken != taken.end() && next_taken->begin < piece.end) continue;
    decoded(source, piece, Codec::percent, kind, depth);
  }
}

void NamedFinder::decoded(const NestedText& source, Piece piece, Codec codec, Kind kind, int depth) {
  const NestedText inside(source, piece.begin, piece.end, codec);
  if (inside.is_decoded()) string(inside, kind, depth + 1);
}

void NamedFinder::string(const NestedText& source, Kind kind, int depth) {
  const std::string_view text = source.text();
  if (depth > deepest_string || !may_hold_more(text)) return;
  const bool is_code = kind == Kind::code;
  if (!is_code && opens_json(text)) return json(source, depth);
  const bool reads = !rules_.endings().empty() && reads_names();
  if (reads && !is_code && is_markup(text)) return markup(source, depth);
  shapes(source);
  if (!reads) return;
  const auto has = [text](const auto& wanted) { return text.find(wanted) != npos; };
  const Piece whole{0, text.size()};
  const std::vector<Piece> taken = has('=') ? assignments(source, kind) : std::vector<Piece>();
  if (has(':')) colons(source, kind);
  if (!is_code && (has('{') || has('['))) json_inside(source, depth);
  if (has('%')) encoded_pieces(source, taken, kind, depth);
  if (has('&') && source.codec() != Codec::html) decoded(source, whole, Codec::html, kind, depth);
  if (has('\\') && (has('"') || has("\\u00") || has("\\/"))) decoded(source, whole, Codec::json, kind, depth);
  const NestedText bytes(source, 0, text.size(), NestedText::Base64());
  if (bytes.is_decoded()) string(bytes, Kind::lines, depth + 1);
}

void NamedFinder::custom_patterns(const NestedText& source) {
  for (const CompiledRules::Pattern& pattern : rules_.patterns()) {
    if (pattern.anchored) continue;
    for (std::optional<std::size_t> from = 0; from && *from <= source.text().size();) {
      from = match(source, pattern, *from, source.text().size(), false);
    }
  }
}

void NamedFinder::shapes(const NestedText& source) {
  std::unordered_map<std::uint16_t, std::size_t> behind;  // the end of the last match of each rule
  const std::string_view text = source.text();
  rules_.anchors().search(text, [&](const AnchorSet::Use& use, std::size_t at) {
    const CompiledRules::Pattern& pattern = rules_.patterns()[use.pattern];
    std::size_t& done = behind[pattern.rule];
    if (at < done || (pattern.begins_token && at > 0 && is_token(text[at - 1]))) return;
    std::size_t from = std::max(done, at - std::min(at, use.before));
    const bool is_url = text[at] == ':';
    if (is_url) {  // begins at its scheme
      std::size_t scheme = at;
      while (scheme > from && is_scheme(text[scheme - 1])) --scheme;
      from = scheme;
      while (from < at && !base::is_letter(text[from])) ++from;
    }
    done = match(source, pattern, from, at, is_url || use.before == 0).value_or(done);
  });
}

std::optional<std::size_t> NamedFinder::match(const NestedText& source, const CompiledRules::Pattern& pattern,
                                              std::size_t from, std::size_t at, bool at_the_start) {
  constexpr std::size_t first_reach = 512, growth = 8;
  const std::string_view text = source.text();
  const re2::StringPiece whole(text.data(), text.size());
  const int groups = pattern.expression->NumberOfCapturingGroups() > 0 ? 2 : 1;
  std::array<re2::StringPiece, 2> found;
  const auto begin_of = [text](const re2::StringPiece& piece) {
    return static_cast<std::size_t>(piece.data() - text.data());
  };
  // Most values are short. One that reaches the end of this part of the text may be longer.
  for (std::size_t reach = first_reach;; reach *= growth) {
    const std::size_t end = std::min(at + reach, text.size());
    const auto anchor = at_the_start ? RE2::ANCHOR_START : RE2::UNANCHORED;
    const bool matches = pattern.expression->Match(whole, from, end, anchor, found.data(), groups);
    const bool may_go_on = end < text.size() && (matches ? begin_of(found[0]) + found[0].size() == end : at_the_start);
    if (!matches && !may_go_on) return std::nullopt;
    if (!may_go_on) break;
    if (matches) from = begin_of(found[0]);
    at_the_start = true;
  }
  const std::size_t next = begin_of(found[0]) + std::max<std::size_t>(found[0].size(), 1);
  const re2::StringPiece secret = groups == 2 && found[1].data() != nullptr ? found[1] : found[0];
  if (secret.empty()) return next;
  const bool in_url = rules_.rule(pattern.rule).in_url;
  static_cast<void>(add(source, {begin_of(secret), begin_of(secret) + secret.size()}, {pattern.rule},
                        in_url ? std::optional(Codec::percent) : std::nullopt));
  return next;
}

}  // namespace tapedeck::scrubbers
