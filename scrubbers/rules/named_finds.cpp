#include "scrubbers/rules/named_finds.h"

#include <re2/re2.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "api/request_params.h"
#include "base/text.h"
#include "http/message/multipart.h"
#include "http/message/urlencoded.h"

namespace tapedeck::scrubbers {
namespace {

bool opens_json(std::string_view text) { return !text.empty() && (text[0] == '{' || text[0] == '['); }

bool is_json_string(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' && text[text.size() - 2] != '\\';
}

// Returns true if a text may contain names with values, or a secret that its shape shows.
bool may_hold_more(std::string_view text) {
  constexpr std::size_t long_text = 24;  // a shape without any of these characters is longer
  const auto is_mark = [](char c) { return std::string_view("%=<:/ &{[$\\").find(c) != std::string_view::npos; };
  return text.size() >= long_text || std::any_of(text.begin(), text.end(), is_mark);
}

bool is_token(char c) { return base::is_alnum(c) || c == '_' || c == '-'; }

NamedFinder::TextKind kind_of(std::string_view type) {
  using Kind = NamedFinder::TextKind;
  const bool code = type.find("html") != std::string_view::npos || type.find("script") != std::string_view::npos ||
                    type == "text/css";
  return code ? Kind::code : Kind::lines;
}

}  // namespace

// Finds values by key in JSON, including JSON in nested texts.
class NamedFinder::JsonFinds : public JsonVisitor {
 public:
  JsonFinds(NamedFinder& finder, Part part, const Source& source, Keys keys, int depth)
      : finder_(finder), part_(part), source_(source), keys_(keys), depth_(depth) {}

  bool may_want(std::string_view key) override {
    if (!finder_.reads_names(part_)) return false;
    return finder_.rules_.may_be_json_key(key, finder_.context_) ||
           (is_parameter() && finder_.rules_.parameter(key, finder_.context_));
  }

  std::optional<RuleMatch> wanted(std::string_view key, JsonPath path, std::size_t object) override {
    const CompiledRules::KeyMatch match = match_of(key, path);
    if (match.is_pair) return rule_of_pair(object);
    return match.rule && stands_beside(finder_.rules_.rule(match.rule->rule).beside, object) ? match.rule
                                                                                             : std::nullopt;
  }

  void value(RuleMatch match, std::size_t begin, std::size_t end, bool is_string) override {
    const std::string_view raw = source_.text.substr(begin, end - begin);
    std::string value = is_string ? decode_text(Codec::json, raw) : std::string(raw);
    const ScrubRule& rule = finder_.rules_.rule(match.rule);
    // Some responses name a Windows security ID like a session ID.
    if (rule.secret_class == SecretClass::session_id && value.starts_with("S-1-")) return;
    const bool is_kept = rule.secret_class != SecretClass::private_data && is_fraction(value);
    if (!is_string && (is_count(rule, value) || is_kept)) return;
    Encoding encoding = encoding_of(Codec::json, raw, value);
    finder_.is_parameter_ = is_parameter();
    const bool is_secret = finder_.add_in(part_, source_, begin, end, std::move(value), std::move(encoding), match);
    finder_.is_parameter_ = false;
    if (!is_secret) text(begin, end, is_string);
  }

  void text(std::size_t begin, std::size_t end, bool is_escaped) override {
    const std::string_view raw = source_.text.substr(begin, end - begin);
    if (!may_hold_more(raw)) return;
    View view;
    if (!is_escaped || !decode_view(Codec::json, raw, view)) view = {std::string(raw), {}};
    finder_.whole_text(part_, {view.text, &source_, Codec::json, &view.map, begin}, keys_, TextKind::json, depth_ + 1);
  }

 private:
  [[nodiscard]] bool is_parameter() const { return keys_ == Keys::parameters; }

  // A rule that identifies a key by its place in a document holds for documents that clients send, too.
  [[nodiscard]] CompiledRules::KeyMatch match_of(std::string_view key, JsonPath path) const {
    CompiledRules::KeyMatch match;
    if (is_parameter()) match = finder_.rules_.parameter(key, finder_.context_);
    if (match) return match;
    CompiledRules::KeyMatch in_answer = finder_.rules_.json_key(key, path, finder_.context_);
    if (!is_parameter()) return in_answer;
    if (!in_answer.rule) return match;
    const ScrubRule& rule = finder_.rules_.rule(in_answer.rule->rule);
    return rule.match.starts_with("**.") || !rule.beside.empty() ? in_answer : match;
  }

  // An unquoted number is a count, unless a rule has its full name.
  static bool is_count(const ScrubRule& rule, std::string_view value) {
    return rule.scope == Scope::name && std::all_of(value.begin(), value.end(), [](char c) {
             return base::is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
           });
  }

  // Only digits can be replaced by other digits in every reader of numbers. Coordinates are replaced by other ones.
  static bool is_fraction(std::string_view value) {
    const auto is_of_number = [](char c) { return base::is_digit(c) || std::string_view("+-.eE").find(c) < 5; };
    return std::all_of(value.begin(), value.end(), is_of_number) &&
           !std::all_of(value.begin(), value.end(), base::is_digit);
  }

  // Checks the condition of a rule that requires another member in the same object.
  [[nodiscard]] bool stands_beside(std::string_view member, std::size_t object) const {
    constexpr std::size_t reach = 8192;
    if (member.empty()) return true;
    const std::string_view text = source_.text.substr(object, reach);
    return text.substr(0, text.find('}')).find("\"" + std::string(member) + "\"") != std::string_view::npos;
  }

  // Returns the rule for the key of a pair such as {"key":"MYSQL_PASSWORD","value":…} when its value is found.
  std::optional<RuleMatch> rule_of_pair(std::size_t object) {
    if (object == last_pair_) return last_pair_rule_;
    last_pair_ = object;
    const auto name = pair_name(source_.text, object);
    last_pair_rule_ = name ? finder_.rules_.name(*name, finder_.context_) : std::nullopt;
    return last_pair_rule_;
  }

  NamedFinder& finder_;
  Part part_;
  const Source& source_;
  Keys keys_;
  int depth_;
  std::size_t last_pair_ = std::string_view::npos;
  std::optional<RuleMatch> last_pair_rule_;
};

bool NamedFinder::add(Part part, std::size_t begin, std::size_t end, std::string value, Encoding encoding,
                      RuleMatch rule) {
  if (value.empty()) return false;
  if (out_.finds.size() == NamedFinds::most) {
    out_.too_many = true;
    return true;
  }
  const bool plain = is_plain(part, rule, value);
  const SecretClass secret_class = rules_.rule(rule.rule).secret_class;
  out_.finds.push_back({part, begin, end, std::move(value), std::move(encoding), rule.rule, secret_class, 0, plain});
  return !plain;
}

bool NamedFinder::add_in(Part part, const Source& source, std::size_t begin, std::size_t end, std::string value,
                         Encoding inner, RuleMatch rule) {
  Encoding chain = std::move(inner);
  const Source* at = &source;
  for (; at->outer != nullptr; at = at->outer) {
    const std::string_view inside = at->text.substr(begin, end - begin);
    const std::size_t outer_begin = at->base + at->map->raw_begin(begin);
    const std::size_t outer_end = at->base + at->map->raw_end(end);
    const std::string_view outside = at->outer->text.substr(outer_begin, outer_end - outer_begin);
    chain = nested(encoding_of(at->codec, outside, inside), chain);
    begin = outer_begin;
    end = outer_end;
  }
  return add(part, begin, end, std::move(value), std::move(chain), rule);
}

void NamedFinder::json(Part part, const Source& source, Keys keys, int depth) {
  JsonFinds visitor(*this, part, source, keys, depth);
  scan_json(source.text, visitor, depth == 0 ? &out_.keys : nullptr);
}

void NamedFinder::whole_text(Part part, const Source& source, Keys keys, TextKind kind, int depth) {
  constexpr int deepest = 6;
  if (depth > deepest) return;
  if (opens_json(source.text)) return json(part, source, keys, depth);
  anchored_patterns(part, source, 0, source.text.size());
  if (!rules_.endings().empty() && reads_names(part)) inner_texts(part, source, kind, depth);
}

void NamedFinder::query(Part part, std::size_t offset, std::size_t length) {
  const std::string_view text = texts_[part].substr(offset, length);
  std::optional<RuleMatch> pair_rule;  // the rule for the name in key=MYSQL_PASSWORD&value=…
  for (std::size_t at = 0; const auto pair = http::next_pair(text, at);) {
    const std::string name = http::percent_decode(text.substr(pair->name.offset, pair->name.length), true);
    if (says_name(name)) {
      const std::string said = http::percent_decode(text.substr(pair->value.offset, pair->value.length), true);
      pair_rule = rules_.name(said, context_);
    }
    // A piece without a value may be a URL.
    const http::Span& value = pair->value.length > 0 ? pair->value : pair->name;
    parameter(part, pair->value.length > 0 ? name : "", offset + value.offset, value.length, true, pair_rule);
  }
}

void NamedFinder::parameter(Part part, std::string_view name, std::size_t offset, std::size_t length, bool is_encoded,
                            std::optional<RuleMatch> pair_rule) {
  if (length == 0) return;
  const Source whole{texts_[part]};
  const std::string_view raw = whole.text.substr(offset, length);
  const CompiledRules::KeyMatch match = rules_.parameter(name, context_);
  const std::optional<RuleMatch> rule = match.is_pair ? pair_rule : match.rule;
  if (!rule && !opens_json(raw) && !may_hold_more(raw)) return;
  View view;
  if (!is_encoded || !decode_view(Codec::form, raw, view)) view.text = raw;
  const std::string_view value = view.text;
  const Source decoded{value, &whole, Codec::form, &view.map, offset};
  if (rule && (rules_.rule(rule->rule).scope != Scope::name || !value.starts_with("{\""))) {
    is_parameter_ = true;
    // In JSON APIs, a parameter is JSON text, including the quotes: `passwd="secret"`.
    const bool is_secret = is_json_string(value)
                               ? add_named(part, decoded, 1, value.size() - 1, *rule, Codec::json)
                               : add_in(part, decoded, 0, value.size(), std::string(value), {}, *rule);
    is_parameter_ = false;
    if (is_secret) return;
  }
  whole_text(part, decoded, Keys::parameters, TextKind::lines, 1);
}

void NamedFinder::custom_patterns(Part part) {
  const Source whole{texts_[part]};
  for (const CompiledRules::Pattern& pattern : rules_.patterns()) {
    if (pattern.anchored) continue;
    std::size_t from = 0;
    while (from <= whole.text.size()) from = match(part, whole, pattern, from, whole.text.size(), false);
  }
}

void NamedFinder::anchored_patterns(Part part, const Source& source, std::size_t offset, std::size_t length) {
  constexpr std::size_t reach = 512;                      // bytes searched after the "://" of a URL
  constexpr std::size_t longest = 64 * 1024;              // the size of a large key container
  std::unordered_map<std::uint16_t, std::size_t> behind;  // the end of the last match of each rule
  const std::string_view text = source.text.substr(offset, length);
  rules_.anchors().search(text, [&](const AnchorSet::Use& use, std::size_t at) {
    const CompiledRules::Pattern& pattern = rules_.patterns()[use.pattern];
    std::size_t& from = behind[pattern.rule];
    if (offset + at < from || (pattern.begins_token && at > 0 && is_token(text[at - 1]))) return;
    const std::size_t end = std::min(at + (use.before == 0 ? longest : reach), length);
    const std::size_t next = match(part, source, pattern, std::max(from, offset + at - std::min(at, use.before)),
                                   offset + end, use.before == 0);
    if (next != std::string_view::npos) from = next;
  });
}

// Adds the first match in [from, end). Returns where the next search begins, or npos if nothing matched.
std::size_t NamedFinder::match(Part part, const Source& source, const CompiledRules::Pattern& pattern, std::size_t from,
                               std::size_t end, bool at_the_start) {
  const std::string_view text = source.text;
  const int groups = pattern.expression->NumberOfCapturingGroups() > 0 ? 2 : 1;
  std::array<re2::StringPiece, 2> found;
  if (!pattern.expression->Match({text.data(), text.size()}, from, end,
                                 at_the_start ? RE2::ANCHOR_START : RE2::UNANCHORED, found.data(), groups)) {
    return std::string_view::npos;
  }
  const auto begin = static_cast<std::size_t>(found[0].data() - text.data());
  const std::size_t next = begin + std::max<std::size_t>(found[0].size(), 1);
  const re2::StringPiece secret = groups == 2 && found[1].data() != nullptr ? found[1] : found[0];
  if (secret.empty()) return next;
  const auto at = static_cast<std::size_t>(secret.data() - text.data());
  const std::size_t end_of_secret = at + secret.size();
  if (rules_.rule(pattern.rule).in_url) {
    add_named(part, source, at, end_of_secret, {pattern.rule}, Codec::percent);
  } else {
    add_in(part, source, at, end_of_secret, std::string(text.substr(at, secret.size())), {}, {pattern.rule});
  }
  return next;
}

void NamedFinder::request(const http::Headers& headers) {
  const std::string_view target = texts_[Part::request_target];
  url(Part::request_target, 0, target.size());
  // Searches matrix parameters, as in /a;token=…/b?c.
  const std::size_t path_end = std::min(target.find_first_of("?#"), target.size());
  if (target.substr(0, path_end).find_first_of("=%") != std::string_view::npos) {
    plain_text(Part::request_target, 0, path_end, TextKind::url);
  }
  anchored_patterns(Part::request_target, Source{target}, 0, path_end);
  search_headers(Part::request_headers);
  request_body(headers);
  drop_patterns_over_names();
}

void NamedFinder::answer(const http::Headers& headers) {
  search_headers(Part::response_headers);
  answer_body(headers);
  drop_patterns_over_names();
}

void NamedFinder::drop_patterns_over_names() {
  const auto by_pattern = [&](const NamedFind& find) { return rules_.rule(find.rule).scope == Scope::body_pattern; };
  if (std::none_of(out_.finds.begin(), out_.finds.end(), by_pattern)) return;
  using Place = std::tuple<Part, std::size_t, std::size_t>;
  std::vector<Place> places;
  for (const NamedFind& find : out_.finds) {
    if (!by_pattern(find) && !find.plain && find.begin < find.end) places.emplace_back(find.part, find.end, find.begin);
  }
  std::sort(places.begin(), places.end());
  std::erase_if(out_.finds, [&](const NamedFind& find) {
    if (!by_pattern(find)) return false;
    const auto next = std::lower_bound(places.begin(), places.end(), Place(find.part, find.begin + 1, 0));
    return next != places.end() && std::get<0>(*next) == find.part && std::get<2>(*next) < find.end;
  });
}

void NamedFinder::request_body(const http::Headers& headers) {
  constexpr Part part = Part::request_body;
  constexpr std::size_t sniffed = api::longest_sniffed;  // uploads are not forms
  const std::string_view body = texts_[part];
  if (body.empty()) return;
  const std::string type = base::fold(http::media_type(headers));
  if (type.starts_with("multipart/")) {
    const auto boundary = http::multipart_boundary(headers);
    if (!boundary || !http::parse_multipart(body, *boundary)) {
      out_.understood = !rules_.mentions_parameter(body, context_);
    } else {
      multipart(*boundary);
    }
  } else if (type.ends_with("json") || looks_like_json(body)) {
    json(part, Source{body}, Keys::parameters, 0);
  } else if (type == "application/x-www-form-urlencoded" || body.size() <= sniffed) {
    const bool is_form = type == "application/x-www-form-urlencoded";
    if (is_form || body[0] != '<') query(part, 0, body.size());
    if (!is_form) body_texts(part, kind_of(type));
  } else {
    anchored_patterns(part, Source{body}, 0, body.size());
  }
  custom_patterns(part);
}

void NamedFinder::multipart(std::string_view boundary) {
  const auto fields = http::parse_multipart(texts_[Part::request_body], boundary);
  for (const http::MultipartField& field : *fields) {
    parameter(Part::request_body, field.name, field.content.offset, field.content.length, false);
  }
}

void NamedFinder::answer_body(const http::Headers& headers) {
  constexpr Part part = Part::response_body;
  const std::string_view body = texts_[part];
  if (body.empty()) return;
  const std::string type = base::fold(http::media_type(headers));
  const bool is_media = type.starts_with("image/") || type.starts_with("video/") || type.starts_with("audio/");
  if (is_media) return;
  if (type == "application/x-www-form-urlencoded") {
    query(part, 0, body.size());
  } else if (type.ends_with("json") || type == "text/event-stream" || looks_like_json(body)) {
    json(part, Source{body}, Keys::answer, 0);
  } else {
    body_texts(part, kind_of(type));
  }
  custom_patterns(part);
}

}  // namespace tapedeck::scrubbers
