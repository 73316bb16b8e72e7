// Finds values in header lines: cookies, credentials, tokens, and the URLs in Referer, Location, and others.

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/rules/plain_values.h"

namespace tapedeck::scrubbers {
namespace {

// Returns true for a cookie value with the length and the characters of a random ID. No rule names the cookie.
bool looks_like_token(std::string_view value) {
  constexpr std::size_t shortest = 16;
  return value.size() >= shortest && looks_like_id(value);
}

}  // namespace

void NamedFinder::search_headers(Part part) {
  const std::string_view text = texts_[part];
  for (const HeaderLine& line : header_lines(text)) {
    const std::string_view name = text.substr(line.begin, line.name_end - line.begin);
    if (part == Part::response_headers) out_.keys.note(name);
    header_line(part, name, line.value, line.end - line.value);
  }
}

void NamedFinder::header_line(Part part, std::string_view name, std::size_t offset, std::size_t length) {
  if (http::equal_no_case(name, "Cookie")) {
    cookies(part, offset, length, false);
  } else if (http::equal_no_case(name, "Set-Cookie")) {
    cookies(part, offset, length, true);
  } else if (const auto rule = rules_.header(name, context_)) {
    if (http::equal_no_case(name, "Authorization")) {
      credentials(part, offset, length, *rule);
    } else {
      const std::string_view value = texts_[part].substr(offset, length);
      add(part, offset, offset + length, std::string(value), {}, *rule);
    }
  } else {
    url(part, offset, length);
    const std::string_view value = texts_[part].substr(offset, length);
    if (value.find_first_of("=%") != std::string_view::npos) plain_text(part, offset, length, TextKind::url);
    anchored_patterns(part, Source{texts_[part]}, offset, length);
  }
}

void NamedFinder::credentials(Part part, std::size_t offset, std::size_t length, RuleMatch rule) {
  const std::string_view value = texts_[part].substr(offset, length);
  const std::size_t space = value.find(' ');
  const std::size_t begin = space == std::string_view::npos ? 0 : std::min(value.find_first_not_of(' ', space), length);
  add(part, offset + begin, offset + length, std::string(value.substr(begin)), {}, rule);
  if (!http::equal_no_case(value.substr(0, std::min(space, length)), "Basic")) return;
  const std::string user_and_password = base::from_base64(value.substr(begin));
  const std::size_t colon = user_and_password.find(':');
  if (colon == std::string::npos) return;
  const std::size_t before = out_.finds.size();
  add(part, offset + begin, offset + begin, user_and_password.substr(colon + 1), {}, rule);
  if (out_.finds.size() > before) out_.finds.back().secret_class = SecretClass::password;
}

void NamedFinder::cookies(Part part, std::size_t offset, std::size_t length, bool first_only) {
  const std::string_view text = texts_[part].substr(offset, length);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::size_t name_at = std::min(text.find_first_not_of(" \t", at), end);
    const std::size_t equals = std::min(text.find('=', name_at), end);
    std::size_t value_at = std::min(equals + 1, end);
    std::size_t value_end = end;
    while (value_at < value_end && (text[value_at] == ' ' || text[value_at] == '"')) ++value_at;
    while (value_at < value_end && (text[value_end - 1] == ' ' || text[value_end - 1] == '"')) --value_end;
    const std::string_view raw = text.substr(value_at, value_end - value_at);
    std::optional<RuleMatch> rule = rules_.cookie(text.substr(name_at, equals - name_at), context_);
    if (!rule && looks_like_token(raw)) rule = rules_.any_cookie();
    if (rule && raw != "deleted") {
      add_named(part, Source{texts_[part]}, offset + value_at, offset + value_end, *rule, Codec::percent);
    } else if (raw.find_first_of("=%:") != std::string_view::npos) {
      plain_text(part, offset + value_at, value_end - value_at, TextKind::url);
      anchored_patterns(part, Source{texts_[part]}, offset + value_at, value_end - value_at);
    }
    if (first_only) return;
    at = end + 1;
  }
}

void NamedFinder::url(Part part, std::size_t offset, std::size_t length) {
  const std::string_view text = texts_[part].substr(offset, length);
  const std::size_t mark = text.find('?');
  const std::size_t hash = text.find('#');
  if (mark != std::string_view::npos && (hash == std::string_view::npos || mark < hash)) {
    query(part, offset + mark + 1, std::min(hash, text.size()) - mark - 1);
  }
  if (hash != std::string_view::npos) query(part, offset + hash + 1, text.size() - hash - 1);
}

}  // namespace tapedeck::scrubbers
