#include "http/message/url.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::http {
namespace {

using base::npos;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return base::is_alnum(c) || c == '-' || c == '.' || c == '_';
  });
}

bool is_ipv6_text(std::string_view text) {
  return text.find(':') != npos && text.find_first_not_of("0123456789abcdefABCDEF:.") == npos;
}

std::uint16_t parse_port(std::string_view text, bool zero_is_fine) {
  const auto port = base::whole_number<std::uint16_t>(text);
  if (!port || (*port == 0 && !zero_is_fine)) {
    refuse(zero_is_fine ? "the port must be a number from 0 to 65535" : "the port must be a number from 1 to 65535");
  }
  return *port;
}

struct HostPort {
  std::string host;
  std::string_view port;
  bool has_port = false;
};

/// Splits "host", "host:port", "[::1]", or "[::1]:port".
HostPort split_authority(std::string_view text) {
  HostPort parts;
  std::string_view after;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == npos || !is_ipv6_text(text.substr(1, close - 1))) refuse("the IPv6 address in brackets is malformed");
    parts.host = base::fold(text.substr(1, close - 1));
    after = text.substr(close + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (text.find(':', colon + 1) != npos) refuse("an IPv6 address must be in brackets, as in [::1]:8080");
    if (!is_host_name(text.substr(0, colon))) refuse("the host name is empty or malformed");
    parts.host = base::fold(text.substr(0, colon));
    after = text.substr(colon);
  }
  if (after.empty()) return parts;
  if (!after.starts_with(':')) refuse("only :PORT may follow the host");
  parts.port = after.substr(1);
  parts.has_port = true;
  return parts;
}

std::string bracketed(const std::string& host) { return host.find(':') == npos ? host : "[" + host + "]"; }

std::string_view take_scheme(std::string_view& text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (equal_no_case(text.substr(0, scheme.size()), scheme)) {
      text.remove_prefix(scheme.size());
      return scheme;
    }
  }
  refuse("must begin with http:// or https://, as in https://nas.example:5001");
}

}  // namespace

BaseUrl BaseUrl::parse(std::string_view text) {
  BaseUrl url;
  url.tls = take_scheme(text) == "https://";
  const std::string_view authority = text.substr(0, std::min(text.find_first_of("/?#\\"), text.size()));
  if (authority.find('@') != npos) {
    refuse("must not contain a user name or password\nhint: log in through the recorder instead");
  }
  std::string_view path = text.substr(authority.size());
  if (path.find_first_of("?#") != npos) refuse("must not have a query or a fragment");
  if (std::any_of(path.begin(), path.end(), [](char c) { return c <= ' ' || c >= 0x7f || c == '\\'; })) {
    refuse("the path contains a character that must be percent-encoded");
  }
  const HostPort parts = split_authority(authority);
  url.host = parts.host;
  url.port = parts.has_port ? parse_port(parts.port, false) : static_cast<std::uint16_t>(url.tls ? 443 : 80);
  while (path.ends_with('/')) path.remove_suffix(1);
  url.path = path;
  return url;
}

std::string BaseUrl::origin() const { return (tls ? "https://" : "http://") + authority(); }

std::string BaseUrl::authority() const {
  const bool is_default = port == (tls ? 443 : 80);
  return is_default ? bracketed(host) : bracketed(host) + ":" + std::to_string(port);
}

Endpoint Endpoint::parse(std::string_view text) {
  const HostPort parts = split_authority(text);
  if (!parts.has_port) refuse("the address must be HOST:PORT, as in 127.0.0.1:8080 or [::1]:8080");
  return Endpoint{parts.host, parse_port(parts.port, true)};
}

bool Endpoint::is_loopback() const {
  if (host == "localhost" || host == "::1") return true;
  const bool dotted = host.find_first_not_of("0123456789.") == npos;
  return dotted && host.starts_with("127.") && std::count(host.begin(), host.end(), '.') == 3;
}

std::string Endpoint::to_string() const { return bracketed(host) + ":" + std::to_string(port); }

}  // namespace tapedeck::http
