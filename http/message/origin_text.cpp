#include "http/message/origin_text.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::http {
namespace {

/// The spellings of a character, the longest first.
constexpr std::array<std::string_view, 7> slashes = {"%5C%2F", R"(\\\/)", R"(\u002f)", "%252F", "%2F", R"(\/)", "/"};
constexpr std::array<std::string_view, 3> colons = {"%253A", "%3A", ":"};

template <std::size_t N>
std::string_view spelling_before(std::string_view text, const std::array<std::string_view, N>& spellings) {
  for (const std::string_view one : spellings) {
    if (text.size() < one.size()) continue;
    const std::string_view end = text.substr(text.size() - one.size());
    if (base::equal_no_case(end, one)) return end;
  }
  return {};
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return base::equal_no_case(text.substr(0, beginning.size()), beginning);
}

/// Returns true if a letter before the scheme belongs to an escape and not to another scheme: `%22http`, `\nhttp`.
bool is_free_before(std::string_view text, std::size_t at) {
  if (at == 0 || !base::is_alnum(text[at - 1])) return true;
  if (at >= 2 && text[at - 2] == '\\') return true;
  return at >= 3 && text[at - 3] == '%';
}

/// Returns true if a host or port that ends at `at` continues there.
bool continues(std::string_view text, std::size_t at, std::string_view colon) {
  if (at >= text.size()) return false;
  const std::string_view rest = text.substr(at);
  const char c = rest.front();
  if (base::is_alnum(c) || c == '-' || c == '_' || c == '@') return true;
  if (c == '.') return rest.size() > 1 && base::is_alnum(rest[1]);
  return begins_with(rest, colon) && rest.size() > colon.size() && base::is_digit(rest[colon.size()]);
}

std::string spelled(std::string_view address, std::string_view colon, std::string_view slash) {
  std::string text(address);
  const bool is_percent = colon.size() > 1;
  if (!is_percent) base::replace_all(text, "/", slash);
  if (is_percent && base::fold(slash).starts_with("%5c")) base::replace_all(text, "/", "\\/");
  if (is_percent) text = percent_encode(text);
  return colon.starts_with("%25") ? percent_encode(text) : text;
}

}  // namespace

OriginText::OriginText(std::string_view address) {
  try {
    server_ = BaseUrl::parse(address);
  } catch (const std::invalid_argument&) {
    return;
  }
  const bool is_v6 = server_.host.find(':') != std::string::npos;
  host_ = base::fold(is_v6 ? "[" + server_.host + "]" : server_.host);
}

std::optional<OriginText::Match> OriginText::match_at(std::string_view text, std::size_t host) const {
  Match match;
  std::string_view before = text.substr(0, host);
  match.slash = spelling_before(before, slashes);
  if (match.slash.empty()) return std::nullopt;
  before.remove_suffix(match.slash.size());
  if (!base::equal_no_case(spelling_before(before, slashes), match.slash)) return std::nullopt;
  before.remove_suffix(match.slash.size());
  match.colon = spelling_before(before, colons);
  if (match.colon.empty()) return std::nullopt;
  before.remove_suffix(match.colon.size());
  std::string_view scheme;
  for (const std::string_view one : {"https", "http"}) {
    if (scheme.empty() && before.size() >= one.size() && begins_with(before.substr(before.size() - one.size()), one)) {
      scheme = one;
    }
  }
  if (scheme.empty()) return std::nullopt;
  match.begin = before.size() - scheme.size();
  match.server.tls = scheme == "https";
  if (!is_free_before(text, match.begin)) return std::nullopt;
  match.end = host + host_.size();
  match.server.host = server_.host;
  match.server.port = match.server.tls ? 443 : 80;
  const std::string_view rest = text.substr(match.end);
  if (begins_with(rest, match.colon)) {
    std::size_t end = match.colon.size();
    while (end < rest.size() && base::is_digit(rest[end])) ++end;
    const auto port = base::whole_number<std::uint16_t>(rest.substr(match.colon.size(), end - match.colon.size()));
    if (end > match.colon.size() && !port) return std::nullopt;
    if (port) {
      match.server.port = *port;
      match.end += end;
    }
  }
  return continues(text, match.end, match.colon) ? std::nullopt : std::optional(match);
}

void OriginText::each(std::string_view text, const std::function<bool(const Match&)>& visit) const {
  if (empty()) return;
  // Most texts have no address, so only the first byte of the host is looked for, in both cases.
  const char first = host_.front(), other = base::is_letter(first) ? static_cast<char>(first ^ 0x20) : first;
  std::size_t next_first = text.find(first), next_other = other == first ? std::string_view::npos : text.find(other);
  for (std::size_t at = std::min(next_first, next_other); at != std::string_view::npos;) {
    const auto match = begins_with(text.substr(at), host_) ? match_at(text, at) : std::optional<Match>();
    if (match && !visit(*match)) return;
    at = match ? match->end : at + 1;
    if (next_first < at) next_first = text.find(first, at);
    if (next_other < at) next_other = text.find(other, at);
    at = std::min(next_first, next_other);
  }
}

/// Returns true for this address, with its path. Moves the end of the match behind the path.
bool OriginText::is_this(std::string_view text, Match& match) const {
  if (match.server.tls != server_.tls || match.server.port != server_.port) return false;
  const std::string path = spelled(server_.path, match.colon, match.slash);
  if (!begins_with(text.substr(match.end), path)) return false;
  const std::size_t end = match.end + path.size();
  if (!path.empty() && end < text.size() && (base::is_alnum(text[end]) || text[end] == '-')) return false;
  match.end = end;
  return true;
}

std::optional<std::string> OriginText::replaced(std::string_view text, std::string_view address) const {
  std::string made;
  std::size_t done = 0;
  each(text, [&](Match match) {
    if (!is_this(text, match)) return true;
    made.append(text, done, match.begin - done).append(spelled(address, match.colon, match.slash));
    done = match.end;
    return true;
  });
  if (done == 0) return std::nullopt;
  return made.append(text, done);
}

bool OriginText::is_in(std::string_view text) const {
  bool found = false;
  each(text, [&](Match match) { return !(found = is_this(text, match)); });
  return found;
}

bool OriginText::each_other(std::string_view text, const std::function<void(std::string origin)>& visit) const {
  bool found = false;
  each(text, [&](Match match) {
    found = found || is_this(text, match);
    if (match.server.tls != server_.tls || match.server.port != server_.port) visit(match.server.origin());
    return true;
  });
  return found;
}

bool is_text(const Headers& headers, std::string_view body) {
  const std::string type = base::fold(media_type(headers));
  if (type.empty()) {
    constexpr std::size_t looked_at = 512;
    return body.substr(0, looked_at).find('\0') == std::string_view::npos;
  }
  if (type.starts_with("text/")) return type != "text/event-stream";
  static constexpr std::array<std::string_view, 9> endings = {
      "json", "xml", "javascript", "ecmascript", "mpegurl", "urlencoded", "+xml", "yaml", "dash+xml"};
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view one) { return type.ends_with(one); });
}

}  // namespace tapedeck::http
