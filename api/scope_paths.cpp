#include "api/scope_paths.h"

#include <algorithm>

#include "api/scope_name.h"

namespace tapedeck::api {
namespace {

/// Returns where the path begins in a URL that leads to this server: at its start, or after this server's origin.
/// Returns npos for other URLs.
std::size_t own_path(std::string_view url, std::string_view host) {
  if (url.starts_with('/') && !url.starts_with("//")) return 0;
  const std::size_t scheme_end = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  const std::string_view rest = url.substr(scheme_end);
  const std::size_t end = std::min(rest.find('/'), rest.size());
  const bool is_own = scheme_end > 0 && !host.empty() && http::equal_no_case(rest.substr(0, end), host);
  return is_own && end < rest.size() ? scheme_end + end : std::string_view::npos;
}

void move_url(std::string& value, std::size_t begin, std::string_view host, std::string_view segment) {
  const std::size_t path = own_path(std::string_view(value).substr(begin), host);
  if (path != std::string_view::npos) value.insert(begin + path, segment);
}

/// Handles "5; url=/x", in any case and with or without quotes.
void move_refresh(std::string& value, std::string_view host, std::string_view segment) {
  for (std::size_t at = value.find('='); at != std::string::npos; at = value.find('=', at + 1)) {
    if (at < 3 || !http::equal_no_case(std::string_view(value).substr(at - 3, 3), "url")) continue;
    std::size_t begin = std::min(value.find_first_not_of(" \t", at + 1), value.size());
    if (begin < value.size() && (value[begin] == '"' || value[begin] == '\'')) ++begin;
    return move_url(value, begin, host, segment);
  }
}

/// Moves the path of a cookie below the segment. A path cannot contain the `;` in the segment of a run, so the cookie
/// then applies to all paths.
void move_cookie(std::string& value, std::string_view segment) {
  if (value.starts_with("__Host-")) return;
  const bool is_run = segment.find(';') != std::string_view::npos;
  for (std::size_t at = value.find(';'); at != std::string::npos; at = value.find(';', at + 1)) {
    const std::size_t name = std::min(value.find_first_not_of(" \t", at + 1), value.size());
    const std::size_t path = value.find('/', name);
    const bool is_path = http::equal_no_case(std::string_view(value).substr(name, 5), "path=");
    if (!is_path || path != name + 5) continue;
    if (is_run) {
      value.replace(path, std::min(value.find(';', path), value.size()) - path, "/");
    } else {
      value.insert(path, segment);
    }
  }
}

/// Removes the segment at `begin`.
void shorten(std::string& text, std::size_t begin, std::size_t length) {
  text.erase(begin, length);
  if (begin == text.size() || text[begin] != '/') text.insert(begin, 1, '/');
}

}  // namespace

std::string take_scope_out(http::Request& request, std::string_view own_origin) {
  std::string segment(scope_segment(request.target));
  if (!segment.empty()) shorten(request.target, 0, segment.size());
  request.headers.erase_if([](const http::Header& line) {
    return http::equal_no_case(line.name, scope_header) || http::equal_no_case(line.name, port_scope_header);
  });
  for (http::Header& line : request.headers) {
    if (!http::equal_no_case(line.name, "Referer") || !line.value.starts_with(own_origin)) continue;
    const std::string_view in_referer = scope_segment(std::string_view(line.value).substr(own_origin.size()));
    if (!in_referer.empty()) shorten(line.value, own_origin.size(), in_referer.size());
  }
  return segment;
}

http::Response bad_scope_answer() {
  return http::text_response(
      400,
      "a scope is percent-encoded UTF-8 of at most 1,000 bytes without control characters, and its run a number\n");
}

void keep_under(std::string_view segment, std::string_view host, http::Headers& answer) {
  for (http::Header& line : answer) {
    if (http::equal_no_case(line.name, "Location")) move_url(line.value, 0, host, segment);
    if (http::equal_no_case(line.name, "Refresh")) move_refresh(line.value, host, segment);
    if (http::equal_no_case(line.name, "Set-Cookie")) move_cookie(line.value, segment);
  }
}

}  // namespace tapedeck::api
