#include "scrubbers/rules/named_finds.h"

#include <algorithm>
#include <tuple>

#include "api/request_params.h"
#include "base/text.h"
#include "http/message/multipart.h"
#include "http/message/urlencoded.h"

namespace tapedeck::scrubbers {
namespace {

bool opens_object(std::string_view text) { return text.starts_with("{\""); }

bool is_json_string(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' && text[text.size() - 2] != '\\';
}

bool is_code(std::string_view type, std::string_view body) {
  const bool is_page = type.find("html") != base::npos && body.find('<') != base::npos;
  return !is_page && (type.find("html") != base::npos || type.find("script") != base::npos || type == "text/css");
}

/// Returns the word in the last brackets of a name such as `p[0][name]`, or the whole name.
std::string_view last_word(std::string_view name) {
  if (!name.ends_with(']')) return name;
  const std::size_t open = name.rfind('[');
  return open == base::npos ? name : name.substr(open + 1, name.size() - open - 2);
}

bool is_json_number(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return base::is_digit(c) || std::string_view("+-.eE").find(c) != base::npos; });
}

}  // namespace

// Finds values by key in JSON.
class NamedFinder::JsonFinds : public JsonVisitor {
 public:
  JsonFinds(NamedFinder& finder, const NestedText& source, int depth)
      : finder_(finder), source_(source), depth_(depth) {}

  bool may_want(std::string_view key) override {
    if (!finder_.reads_names()) return false;
    return finder_.rules_.may_be_json_key(key, finder_.context_) ||
           (finder_.is_request() && finder_.rules_.parameter(key, finder_.context_));
  }

  std::optional<RuleMatch> wanted(std::string_view key, JsonPath path, std::size_t object) override {
    const CompiledRules::KeyMatch match = match_of(key, path);
    if (match.is_pair) return rule_of_pair(object);
    return match.rule && stands_beside(finder_.rules_.rule(match.rule->rule).beside, object) ? match.rule
                                                                                             : std::nullopt;
  }

  bool inherits(std::string_view key, RuleMatch match) override {
    return match.is_plural && !finder_.rules_.describes(key);
  }

  void value(RuleMatch match, std::size_t begin, std::size_t end, bool is_string) override {
    const std::string_view raw = source_.piece(begin, end);
    const ScrubRule& rule = finder_.rules_.rule(match.rule);
    // Some responses name a Windows security ID like a session ID.
    if (rule.secret_class == SecretClass::session_id && raw.starts_with("S-1-")) return;
    if (!is_string && is_json_number(raw) && !is_secret_number(rule, raw)) return;
    const std::optional<Codec> codec = is_string ? std::optional(Codec::json) : std::nullopt;
    if (!finder_.add(source_, {begin, end}, match, codec, finder_.is_request())) text(begin, end, is_string);
  }

  void text(std::size_t begin, std::size_t end, bool is_escaped) override {
    if (!may_hold_more(source_.piece(begin, end))) return;  // before it is decoded
    finder_.string(NestedText(source_, begin, end, is_escaped ? std::optional(Codec::json) : std::nullopt), Kind::words,
                   depth_ + 1);
  }

 private:
  // A rule that identifies a key by its place in a document holds for documents that clients send, too.
  [[nodiscard]] CompiledRules::KeyMatch match_of(std::string_view key, JsonPath path) const {
    CompiledRules::KeyMatch match;
    if (finder_.is_request()) match = finder_.rules_.parameter(key, finder_.context_);
    if (match) return match;
    CompiledRules::KeyMatch in_answer = finder_.rules_.json_key(key, path, finder_.context_);
    if (!finder_.is_request()) return in_answer;
    if (!in_answer.rule) return match;
    const ScrubRule& rule = finder_.rules_.rule(in_answer.rule->rule);
    return rule.match.starts_with("**.") || !rule.beside.empty() ? in_answer : match;
  }

  // An unquoted number is a count, unless a rule has its full name, or it has the digits of a code. Only digits can be
  // replaced by other digits for every reader of numbers; coordinates are replaced by other ones.
  static bool is_secret_number(const ScrubRule& rule, std::string_view value) {
    constexpr std::size_t digits_of_code = 8;
    const bool is_fraction = !std::all_of(value.begin(), value.end(), base::is_digit);
    if (is_fraction) return rule.secret_class == SecretClass::private_data && rule.scope != Scope::name;
    return rule.scope != Scope::name || (rule.values == Values::code && value.size() >= digits_of_code);
  }

  // Checks the condition of a rule that requires another member in the same object.
  bool stands_beside(std::string_view member, std::size_t object) {
    constexpr std::size_t reach = 4096;
    if (member.empty()) return true;
    if (object == last_object_ && member == last_member_) return stands_beside_;
    last_object_ = object;
    last_member_ = member;
    const std::string_view text = source_.text().substr(object, reach);
    stands_beside_ = text.substr(0, text.find('}')).find("\"" + std::string(member) + "\"") != base::npos;
    return stands_beside_;
  }

  // Returns the rule for the key of a pair such as {"key":"MYSQL_PASSWORD","value":…} when its value is found.
  std::optional<RuleMatch> rule_of_pair(std::size_t object) {
    if (object == last_pair_) return last_pair_rule_;
    last_pair_ = object;
    const auto name = pair_name(source_.text(), object);
    last_pair_rule_ = name ? finder_.rules_.name(*name, finder_.context_) : std::nullopt;
    return last_pair_rule_;
  }

  NamedFinder& finder_;
  const NestedText& source_;
  int depth_;
  std::size_t last_object_ = base::npos, last_pair_ = base::npos;
  std::string_view last_member_;
  bool stands_beside_ = false;
  std::optional<RuleMatch> last_pair_rule_;
};

SecretClass NamedFinder::class_of(const ScrubRule& rule) const {
  // Engine.IO 3 sends the ID of a connection in the handshake and in a cookie. One value has one class.
  const bool is_connection = rule.match == "sid" || (rule.scope == Scope::cookie && rule.match == "*");
  return context_.is_socket_io() && is_connection ? SecretClass::token : rule.secret_class;
}

bool NamedFinder::add_at(NestedText::Place place, std::string value, RuleMatch rule, bool is_parameter) {
  if (out_.finds.size() == NamedFinds::most) {
    out_.too_many = true;
    return true;
  }
  const bool plain = is_plain(rule, value, is_parameter);
  const SecretClass secret_class = class_of(rules_.rule(rule.rule));
  out_.finds.push_back(
      {part_, place.begin, place.end, std::move(value), std::move(place.encoding), rule.rule, secret_class, 0, plain});
  return !plain;
}

bool NamedFinder::add(const NestedText& text, Piece piece, RuleMatch rule, std::optional<Codec> codec,
                      bool is_parameter) {
  const std::string_view raw = text.piece(piece.begin, piece.end);
  std::string value = codec ? decode_text(*codec, raw) : std::string(raw);
  if (value.empty()) return false;
  auto place = text.place(piece.begin, piece.end, codec ? encoding_of(*codec, raw, value) : Encoding());
  return place && add_at(*std::move(place), std::move(value), rule, is_parameter);
}

void NamedFinder::json(const NestedText& text, int depth) {
  JsonFinds visitor(*this, text, depth);
  scan_json(text.text(), visitor, text.is_outermost() ? &out_.keys : nullptr);
}

void NamedFinder::query(const NestedText& text) {
  std::optional<RuleMatch> pair_rule;  // the rule for the name in key=MYSQL_PASSWORD&value=…
  for (std::size_t at = 0; const auto pair = http::next_pair(text.text(), at);) {
    const Piece raw_name{pair->name.offset, pair->name.offset + pair->name.length};
    const Piece value{pair->value.offset, pair->value.offset + pair->value.length};
    const std::string name = http::percent_decode(text.piece(raw_name.begin, raw_name.end), true);
    // `token = …` is prose or code, in which shapes are found; the leak scan reports what looks random.
    if (text.piece(raw_name.begin, raw_name.end).ends_with(' ')) continue;
    // A piece without a value may be a URL.
    if (value.empty()) {
      parameter(text, {}, raw_name, true);
      continue;
    }
    if (says_name(last_word(name))) {
      pair_rule = rules_.name(http::percent_decode(text.piece(value.begin, value.end), true), context_);
    }
    parameter(text, name, value, true, pair_rule);
  }
}

void NamedFinder::parameter(const NestedText& text, std::string_view name, Piece value, bool is_encoded,
                            std::optional<RuleMatch> pair_rule) {
  if (value.empty()) return;
  CompiledRules::KeyMatch match = rules_.parameter(name, context_);
  if (!match && rules_.parameter(last_word(name), context_).is_pair) match.is_pair = true;
  const std::optional<RuleMatch> rule = match.is_pair ? pair_rule : match.rule;
  const NestedText decoded(text, value.begin, value.end, is_encoded ? std::optional(Codec::form) : std::nullopt);
  const std::string_view said = decoded.text();
  if (rule && (rules_.rule(rule->rule).scope != Scope::name || !opens_object(said))) {
    // In JSON APIs, a parameter is JSON text, including the quotes: `passwd="secret"`.
    const bool in_quotes = is_json_string(said);
    const Piece whole = in_quotes ? Piece{1, said.size() - 1} : Piece{0, said.size()};
    if (add(decoded, whole, *rule, in_quotes ? std::optional(Codec::json) : std::nullopt, true)) return;
  }
  string(decoded, Kind::words, 1);
}

void NamedFinder::request(const http::Headers& headers) {
  part_ = Part::request_target;
  const NestedText target(texts_[part_]);
  url(target);
  // The path may have matrix parameters, as in /a;token=…/b?c.
  const std::size_t path_end = std::min(target.text().find_first_of("?#"), target.text().size());
  string(NestedText(target, 0, path_end), Kind::path, 1);
  search_headers(Part::request_headers);
  request_body(headers);
  drop_patterns_over_names();
}

void NamedFinder::answer(const http::Headers& headers) {
  part_ = Part::response_reason;
  string(NestedText(texts_[part_]), Kind::words, 1);
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
  part_ = Part::request_body;
  const NestedText body(texts_[part_]);
  const std::string_view text = body.text();
  if (text.empty()) return;
  const std::string type = base::fold(http::media_type(headers));
  const bool is_form = type == "application/x-www-form-urlencoded";
  if (type.starts_with("multipart/")) {
    multipart(body, http::boundary_of(headers).value_or(""));
  } else if (type.ends_with("json") || looks_like_json(text)) {
    json(body, 0);
  } else if (is_form) {
    query(body);
  } else if (text.size() > api::longest_sniffed) {
    shapes(body);  // an upload
  } else {
    if (text[0] != '<') query(body);  // clients often omit the type of a form
    string(body, is_code(type, body.text()) ? Kind::code : Kind::lines, 0);
  }
  custom_patterns(body);
}

void NamedFinder::multipart(const NestedText& body, std::string_view boundary) {
  const auto fields = boundary.empty() ? std::nullopt : http::parse_multipart(body.text(), boundary);
  if (!fields) {
    out_.understood = !rules_.mentions_parameter(body.text(), context_);
    return;
  }
  std::size_t head = 0;
  for (const http::MultipartField& field : *fields) {
    const Piece content{field.content.offset, field.content.offset + field.content.length};
    string(NestedText(body, head, content.begin), Kind::lines, 1);
    parameter(body, field.name, content, false);
    head = content.end;
  }
}

void NamedFinder::answer_body(const http::Headers& headers) {
  part_ = Part::response_body;
  const NestedText body(texts_[part_]);
  const std::string type = base::fold(http::media_type(headers));
  const bool is_media = type.starts_with("image/") || type.starts_with("video/") || type.starts_with("audio/");
  if (body.text().empty() || is_media) return;
  if (type == "application/x-www-form-urlencoded") {
    query(body);
  } else if (type.ends_with("json") || type == "text/event-stream" || looks_like_json(body.text())) {
    json(body, 0);
  } else {
    string(body, is_code(type, body.text()) ? Kind::code : Kind::lines, 0);
  }
  custom_patterns(body);
}

}  // namespace tapedeck::scrubbers
