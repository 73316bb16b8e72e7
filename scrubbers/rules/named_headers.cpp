// Finds values in header lines: cookies, credentials, tokens, and the URLs in Referer, Location, and others.

#include <algorithm>

#include "api/identity_headers.h"
#include "base/base64.h"
#include "base/text.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/rules/plain_values.h"

namespace tapedeck::scrubbers {
namespace {

// Returns true for a value with the length and the characters of a random ID. No rule names its cookie or header.
bool looks_like_token(std::string_view value) {
  constexpr std::size_t shortest = 16;
  return value.size() >= shortest && looks_like_id(value);
}

}  // namespace

void NamedFinder::search_headers(Part part) {
  part_ = part;
  const NestedText text(texts_[part]);
  for (const HeaderLine& line : header_lines(text.text())) {
    const std::string_view name = text.piece(line.begin, line.name_end);
    if (part == Part::response_headers) out_.keys.note(name);
    header_line(name, NestedText(text, line.value, line.end), part == Part::request_headers);
  }
}

void NamedFinder::header_line(std::string_view name, const NestedText& value, bool is_of_request) {
  const Piece whole{0, value.text().size()};
  if (http::equal_no_case(name, "Cookie")) {
    cookies(value, false);
  } else if (http::equal_no_case(name, "Set-Cookie")) {
    cookies(value, true);
  } else if (const auto rule = rules_.header(name, context_)) {
    if (http::equal_no_case(name, "Authorization")) {
      credentials(value, *rule);
    } else if (!add(value, whole, *rule)) {
      string(value, Kind::words, 1);
    }
  } else if (const auto token = rules_.any_header();
             token && is_of_request && !api::is_never_identity(name) && looks_like_token(value.text())) {
    static_cast<void>(add(value, whole, *token));
  } else {
    url(value);
    string(value, Kind::words, 1);
  }
}

void NamedFinder::credentials(const NestedText& line, RuleMatch rule) {
  const std::string_view value = line.text();
  const std::size_t space = value.find(' ');
  const std::size_t begin = space == base::npos ? 0 : std::min(value.find_first_not_of(' ', space), value.size());
  static_cast<void>(add(line, {begin, value.size()}, rule));
  if (!http::equal_no_case(value.substr(0, std::min(space, value.size())), "Basic")) return;
  const std::string user_and_password = base::from_base64(value.substr(begin));
  const std::size_t colon = user_and_password.find(':');
  if (colon == std::string::npos || colon + 1 == user_and_password.size()) return;
  const std::size_t before = out_.finds.size(), at = line.place(begin, begin, {})->begin;
  static_cast<void>(add_at({at, at, {}}, user_and_password.substr(colon + 1), rule, false));
  if (out_.finds.size() > before) out_.finds.back().secret_class = SecretClass::password;
}

void NamedFinder::cookies(const NestedText& line, bool first_only) {
  const std::string_view text = line.text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::size_t name_at = std::min(text.find_first_not_of(" \t", at), end);
    const std::size_t equals = std::min(text.find('=', name_at), end);
    Piece value{std::min(equals + 1, end), end};
    while (!value.empty() && (text[value.begin] == ' ' || text[value.begin] == '"')) ++value.begin;
    while (!value.empty() && (text[value.end - 1] == ' ' || text[value.end - 1] == '"')) --value.end;
    const std::string_view raw = line.piece(value.begin, value.end);
    std::optional<RuleMatch> rule = rules_.cookie(text.substr(name_at, equals - name_at), context_);
    if (!rule && looks_like_token(raw)) rule = rules_.any_cookie();
    const bool is_secret = rule && raw != "deleted" && add(line, value, *rule, Codec::percent);
    if (!is_secret && !value.empty()) string(NestedText(line, value.begin, value.end), Kind::words, 1);
    if (first_only) return;
    at = end + 1;
  }
}

void NamedFinder::url(const NestedText& text) {
  const std::size_t size = text.text().size();
  const std::size_t hash = std::min(text.text().find('#'), size);
  const std::size_t mark = std::min(text.text().find('?'), hash);
  if (mark < hash) query(NestedText(text, mark + 1, hash));
  if (hash < size) query(NestedText(text, hash + 1, size));
}

}  // namespace tapedeck::scrubbers
