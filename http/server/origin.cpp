#include "http/server/origin.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::http {
namespace {

bool is_scheme(std::string_view text) {
  return !text.empty() && base::is_alnum(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return base::is_alnum(c) || c == '+' || c == '-' || c == '.';
  });
}

bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    return text.size() > 3 && text.ends_with(']') &&
           text.substr(1, text.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  }
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return base::is_alnum(c) || c == '-' || c == '.' || c == '_'; });
}

bool is_port(std::string_view text) { return base::whole_number<std::uint16_t>(text).value_or(0) > 0; }

std::string_view default_port(std::string_view scheme) {
  return scheme == "http" ? "80" : scheme == "https" ? "443" : std::string_view();
}

struct Authority {
  std::string_view host, port;
};

/// The port begins at the last colon outside of brackets.
Authority split(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_this_machine(std::string_view host) {
  return equal_no_case(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

bool has_port(const Origin& origin, std::string_view port) {
  const std::string_view usual = default_port(origin.scheme);
  return (origin.port.empty() ? usual : std::string_view(origin.port)) == (port.empty() ? usual : port);
}

}  // namespace

std::optional<Origin> Origin::parse(std::string_view text) {
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos || !is_scheme(text.substr(0, mark))) return std::nullopt;
  const std::string_view authority = text.substr(mark + 3);
  const Authority parts = split(authority);
  const bool has_colon = parts.host.size() < authority.size();
  if (!is_host(parts.host) || (has_colon && !is_port(parts.port))) return std::nullopt;
  Origin origin{base::fold(text.substr(0, mark)), base::fold(parts.host), std::string(parts.port)};
  if (origin.port == default_port(origin.scheme)) origin.port.clear();
  return origin;
}

bool Origin::is_at(std::string_view authority) const {
  const Authority parts = split(authority);
  return equal_no_case(host, parts.host) && has_port(*this, parts.port);
}

bool Origin::is_beside(std::string_view authority) const {
  const Authority parts = split(authority);
  return is_this_machine(host) && is_this_machine(parts.host) && has_port(*this, parts.port);
}

OriginPattern OriginPattern::parse(std::string_view text) {
  OriginPattern pattern;
  pattern.any_ = text == "*";
  if (pattern.any_) return pattern;
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos || !is_scheme(text.substr(0, mark))) {
    throw std::invalid_argument("must begin with a scheme, as in http://localhost:3000");
  }
  const std::string_view authority = text.substr(mark + 3);
  if (authority.find_first_of("/?#\\") != std::string_view::npos) {
    throw std::invalid_argument("must end after host and port: an origin has no path, not even a slash");
  }
  if (authority.find('@') != std::string_view::npos) throw std::invalid_argument("must not contain a user name");
  pattern.any_port_ = authority.ends_with(":*");
  const auto origin = Origin::parse(text.substr(0, text.size() - (pattern.any_port_ ? 2 : 0)));
  if (!origin) throw std::invalid_argument("must be SCHEME://HOST, SCHEME://HOST:PORT, SCHEME://HOST:* or *");
  pattern.origin_ = *origin;
  return pattern;
}

bool OriginPattern::fits(std::string_view text) const {
  if (any_) return true;
  auto origin = Origin::parse(text);
  if (origin && any_port_) origin->port = origin_.port;
  return origin && *origin == origin_;
}

}  // namespace tapedeck::http
