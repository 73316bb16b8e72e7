#include "proxy/device_origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::proxy {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_slash(char c) { return c == '/' || c == '\\'; }  // browsers treat both alike

/// Returns a reference as browsers read it, without tabs, line breaks, and surrounding blanks (WHATWG URL, "basic URL
/// parser").
std::string without_blanks(std::string_view reference) {
  const auto is_blank = [](char c) { return c >= '\0' && c <= ' '; };
  while (!reference.empty() && is_blank(reference.front())) reference.remove_prefix(1);
  while (!reference.empty() && is_blank(reference.back())) reference.remove_suffix(1);
  std::string text(reference);
  std::erase_if(text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return text;
}

/// Removes the scheme and slashes from the front. Returns nothing if no authority follows. `page_tls` is the scheme of
/// the page to which the reference is relative.
std::optional<bool> take_scheme(std::string_view& text, bool tls, bool page_tls) {
  std::size_t fewest = 2;
  for (const std::string_view scheme : {"https:", "http:"}) {
    if (!http::equal_no_case(text.substr(0, scheme.size()), scheme)) continue;
    tls = scheme == "https:";
    // After another scheme than the page's, a host always follows. After the page's own scheme, browsers read one slash
    // as the start of a path, but curl reads it as the start of a host. Reading it as a host is safe, because no device
    // has a folder with its own host name.
    fewest = tls == page_tls ? 1 : 0;
    text.remove_prefix(scheme.size());
    break;
  }
  const auto host = std::find_if_not(text.begin(), text.end(), is_slash);
  const auto slashes = static_cast<std::size_t>(host - text.begin());
  if (slashes < fewest) return std::nullopt;
  text.remove_prefix(slashes);
  return tls;
}

std::string address_text(int family, const void* address) {
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(family, address, text, sizeof text);
  return text;
}

/// Returns one spelling for all spellings of a host: "localhost" for every loopback name and address, and for
/// unspecified addresses, which connect to the local host.
std::string usual_host(std::string_view spelled) {
  std::string host = base::fold(http::percent_decode(spelled, false));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.ends_with('.')) host.pop_back();
  if (in6_addr v6{}; ::inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    host = IN6_IS_ADDR_V4MAPPED(&v6) ? address_text(AF_INET, v6.s6_addr + 12) : address_text(AF_INET6, &v6);
  }
  // Resolvers and browsers accept "127.1" and "0x7f.1" as addresses.
  if (in_addr v4{}; ::inet_aton(host.c_str(), &v4) == 1) host = address_text(AF_INET, &v4);
  const bool is_loopback =
      host == "0.0.0.0" || host == "::" || host.ends_with(".localhost") || http::Endpoint{host, 0}.is_loopback();
  return is_loopback ? "localhost" : host;
}

}  // namespace

std::optional<DeviceUrl> device_url(std::string_view spelled, const http::BaseUrl& device, bool followed_over_tls) {
  const std::string text = without_blanks(spelled);
  std::string_view reference = text;
  const std::optional<bool> tls = take_scheme(reference, device.tls, followed_over_tls);
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
