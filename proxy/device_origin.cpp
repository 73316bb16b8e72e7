#include "proxy/device_origin.h"

#include <algorithm>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::proxy {
namespace {

bool is_loopback(std::string_view host) {
  return http::equal_no_case(host, "localhost") || http::Endpoint{std::string(host), 0}.is_loopback();
}

std::string_view without_brackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device) {
  const std::size_t mark = reference.find("//");
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = reference.substr(0, mark);
  const bool is_https = http::equal_no_case(scheme, "https:"), is_http = http::equal_no_case(scheme, "http:");
  if (!is_https && !is_http && !scheme.empty()) return std::nullopt;
  reference.remove_prefix(mark + 2);
  const std::size_t end = std::min(reference.find_first_of("/?#"), reference.size());
  const std::string_view authority = reference.substr(0, end);
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = std::min(authority.find(':', bracket == authority.npos ? 0 : bracket), authority.size());
  const std::string_view host = without_brackets(authority.substr(0, colon));
  const bool is_its_host = http::equal_no_case(host, device.host) || (is_loopback(host) && is_loopback(device.host));
  if (!is_its_host) return std::nullopt;
  const bool tls = scheme.empty() ? device.tls : is_https;
  http::BaseUrl found{tls, device.host, static_cast<std::uint16_t>(tls ? 443 : 80), ""};
  if (colon + 1 < authority.size()) {
    const auto port = base::whole_number<std::uint16_t>(authority.substr(colon + 1));
    if (!port) return std::nullopt;
    found.port = *port;
  }
  DeviceUrl url;
  url.rest = reference.substr(end);
  if (!url.rest.empty() && url.rest.front() != '/') url.rest.insert(0, 1, '/');
  url.origin = found.origin();
  url.is_same = found.tls == device.tls && found.port == device.port;
  return url;
}

}  // namespace tapedeck::proxy
