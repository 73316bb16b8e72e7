#include "api/scope_name.h"

#include <algorithm>

#include "base/escapes.h"
#include "base/text.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

bool has_whole_escapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (base::percent_escape(text.substr(at)).length == 0) return false;
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
    scope.run = base::whole_number<decltype(scope.run)>(spelled.substr(mark + 1)).value_or(0);
    if (scope.run == 0) return std::nullopt;
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

bool has_redacted_place(std::string_view stored) { return stored.find('\1') != std::string_view::npos; }

bool fits_redacted(std::string_view name, std::string_view stored) {
  // Matches each piece between placeholders at its first occurrence, which leaves the longest rest for the others.
  bool is_first = true;
  for (;;) {
    const std::size_t place = stored.find('\1');
    const std::string_view piece = stored.substr(0, place);
    if (place == std::string_view::npos) return is_first ? name == piece : name.ends_with(piece);
    const std::size_t at = is_first ? (name.starts_with(piece) ? 0 : std::string_view::npos) : name.find(piece);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + piece.size());
    stored.remove_prefix(std::min(stored.find('\2', place), stored.size() - 1) + 1);
    is_first = false;
  }
}

std::string shown_scope(std::string_view stored) {
  std::string shown = ScopeName{std::string(stored), 1}.text();
  std::replace(shown.begin(), shown.end(), '\1', '<');
  std::replace(shown.begin(), shown.end(), '\2', '>');
  return shown;
}

std::string scope_in_header(std::string_view stored) {
  std::string text;
  for (const char c : shown_scope(stored)) {
    const bool is_plain = c >= ' ' && c < 0x7f && c != ',';
    text.append(is_plain ? std::string(1, c) : http::percent_encode(std::string_view(&c, 1)));
  }
  return text;
}

std::string_view scope_segment(std::string_view target) {
  if (!target.starts_with(scope_prefix)) return {};
  return target.substr(0, target.find_first_of("/?", scope_prefix.size()));
}

RequestedScope scope_of(const http::Request& request) {
  RequestedScope said;
  const std::string_view header = request.headers.first(scope_header).value_or("");
  const std::string_view segment = header.empty() ? scope_segment(request.target) : std::string_view();
  const std::string_view port = request.headers.first(port_scope_header).value_or("");
  if (header.empty() && segment.empty() && port.empty()) return said;
  if (!header.empty()) {
    said.scope = ScopeName::parse(header);
  } else {
    said.scope =
        segment.empty() ? ScopeName::parse(port) : ScopeName::parse_segment(segment.substr(scope_prefix.size()));
  }
  said.is_malformed = !said.scope;
  return said;
}

}  // namespace tapedeck::api
