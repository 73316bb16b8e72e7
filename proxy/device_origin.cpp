#include "proxy/device_origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::proxy {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_slash(char c) { return c == '/' || c == '\\'; }  // to a browser they are the same

/// Takes the scheme and the slashes off the front; nothing when no authority follows.
std::optional<bool> take_scheme(std::string_view& text, bool tls) {
  for (const std::string_view scheme : {"https:", "http:"}) {
    if (!http::equal_no_case(text.substr(0, scheme.size()), scheme)) continue;
    tls = scheme == "https:";
    text.remove_prefix(scheme.size());
    break;
  }
  if (text.size() < 2 || !is_slash(text[0]) || !is_slash(text[1])) return std::nullopt;
  text.remove_prefix(2);
  return tls;
}

std::string address_text(int family, const void* address) {
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(family, address, text, sizeof text);
  return text;
}

/// One spelling for all spellings of a host; "localhost" for every loopback name and address.
std::string usual_host(std::string_view spelled) {
  std::string host = base::fold(http::percent_decode(spelled, false));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.ends_with('.')) host.pop_back();
  if (in6_addr v6{}; ::inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    host = IN6_IS_ADDR_V4MAPPED(&v6) ? address_text(AF_INET, v6.s6_addr + 12) : address_text(AF_INET6, &v6);
  }
  // As the resolver and browsers do: "127.1" and "0x7f.1" are addresses.
  if (in_addr v4{}; ::inet_aton(host.c_str(), &v4) == 1) host = address_text(AF_INET, &v4);
  const bool is_loopback = host.ends_with(".localhost") || http::Endpoint{host, 0}.is_loopback();
  return is_loopback ? "localhost" : host;
}

}  // namespace

std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device) {
  const std::optional<bool> tls = take_scheme(reference, device.tls);
  if (!tls) return std::nullopt;
  const std::size_t end = std::min(reference.find_first_of("/\\?#"), reference.size());
  std::string_view authority = reference.substr(0, end);
  authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0
  const std::size_t colon = authority.find(':', authority.starts_with('[') ? std::min(authority.find(']'), end) : 0);
  const std::string_view digits = colon == npos ? std::string_view() : authority.substr(colon + 1);
  http::BaseUrl found{*tls, device.host, static_cast<std::uint16_t>(*tls ? 443 : 80), ""};
  if (!digits.empty()) {
    const auto port = base::whole_number<std::uint16_t>(digits);
    if (!port) return std::nullopt;
    found.port = *port;
  }
  if (usual_host(authority.substr(0, colon)) != usual_host(device.host)) return std::nullopt;
  DeviceUrl url;
  url.rest = reference.substr(end);
  if (!url.rest.empty() && url.rest.front() == '\\') url.rest.front() = '/';
  if (!url.rest.empty() && url.rest.front() != '/') url.rest.insert(0, 1, '/');
  url.origin = found.origin();
  url.is_same = found.tls == device.tls && found.port == device.port;
  return url;
}

}  // namespace tapedeck::proxy
