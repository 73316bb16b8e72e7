#include "api/scope_name.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

bool has_whole_escapes(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) return false;
  }
  return true;
}

bool is_plain_utf8(std::string_view text) {
  while (!text.empty()) {
    const base::Utf8Front front = base::utf8_front(text);
    const bool is_control = front.code_point < 0x20 || (front.code_point >= 0x7f && front.code_point < 0xa0);
    if (front.length == 0 || is_control) return false;
    text.remove_prefix(front.length);
  }
  return true;
}

std::optional<ScopeName> parse_with(std::string_view spelled, char run_mark) {
  ScopeName scope;
  if (const std::size_t mark = spelled.rfind(run_mark); mark != std::string_view::npos) {
    const std::string_view digits = spelled.substr(mark + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), scope.run);
    if (error != std::errc() || end != digits.data() + digits.size() || scope.run == 0) return std::nullopt;
    spelled = spelled.substr(0, mark);
  }
  if (spelled.find(run_mark) != std::string_view::npos || !has_whole_escapes(spelled)) return std::nullopt;
  scope.name = http::percent_decode(spelled, false);
  if (scope.name.empty() || scope.name.size() > ScopeName::most_bytes || !is_plain_utf8(scope.name)) {
    return std::nullopt;
  }
  return scope;
}

}  // namespace

std::optional<ScopeName> ScopeName::parse(std::string_view spelled) { return parse_with(spelled, '#'); }

std::optional<ScopeName> ScopeName::parse_segment(std::string_view spelled) { return parse_with(spelled, ';'); }

std::string ScopeName::text() const {
  std::string spelled;
  for (const char c : name) {
    const bool is_mark = c == '%' || c == '#' || c == ';';
    spelled.append(is_mark ? http::percent_encode(std::string_view(&c, 1)) : std::string(1, c));
  }
  return run == 1 ? spelled : spelled + "#" + std::to_string(run);
}

std::string_view scope_segment(std::string_view target) {
  if (!target.starts_with("/~")) return {};
  const std::size_t end = std::min(target.find_first_of("/?", 2), target.size());
  return end > 2 ? target.substr(0, end) : std::string_view();
}

ScopeSaid scope_of(const http::Request& request) {
  ScopeSaid said;
  const std::string_view header = request.headers.first(scope_header).value_or("");
  const std::string_view segment = header.empty() ? scope_segment(request.target) : std::string_view();
  if (header.empty() && segment.empty()) return said;
  said.scope = header.empty() ? ScopeName::parse_segment(segment.substr(2)) : ScopeName::parse(header);
  said.is_malformed = !said.scope;
  return said;
}

}  // namespace tapedeck::api
