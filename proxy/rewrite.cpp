#include "proxy/rewrite.h"

#include <algorithm>

#include "base/text.h"
#include "http/message/hop_by_hop.h"

namespace tapedeck::proxy {
namespace {

bool is_loopback(std::string_view host) {
  return http::equal_no_case(host, "localhost") || http::Endpoint{std::string(host), 0}.is_loopback();
}

std::string_view without_brackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

/// Returns true if `text` is `origin` or a URL below it. "http://a:1" is a prefix of "http://a:1/x", but not of
/// "http://a:12".
bool under_origin(std::string_view text, std::string_view origin) {
  if (text.size() < origin.size() || !http::equal_no_case(text.substr(0, origin.size()), origin)) return false;
  return text.size() == origin.size() || std::string_view("/?#").find(text[origin.size()]) != std::string_view::npos;
}

bool under_base(std::string_view path, std::string_view base_path) {
  if (base_path.empty() || !path.starts_with(base_path)) return false;
  return path.size() == base_path.size() ||
         std::string_view("/?").find(path[base_path.size()]) != std::string_view::npos;
}

std::string with_base_path(std::string_view target, std::string_view base_path) {
  if (target == "*" || base_path.empty() || under_base(target, base_path)) return std::string(target);
  return std::string(base_path) + std::string(target);
}

/// The place of a URL in a header line.
struct Place {
  std::size_t begin = 0, length = 0;
};

/// Parses "5; url=https://…", with or without the name, quotes, and spaces (HTML, "shared declarative refresh steps").
std::optional<Place> refresh_place(std::string_view value) {
  const auto skip = [&value](std::size_t at, std::string_view marks) {
    return std::min(value.find_first_not_of(marks, at), value.size());
  };
  std::size_t at = skip(skip(0, " \t"), "0123456789.");
  if (at == value.size() || std::string_view(";, \t").find(value[at]) == std::string_view::npos) return std::nullopt;
  at = skip(at, ";, \t");
  if (http::equal_no_case(value.substr(at, 3), "url")) {
    const std::size_t equals = skip(at + 3, " \t");
    if (equals < value.size() && value[equals] == '=') at = skip(equals + 1, " \t");
  }
  std::size_t end = value.size();
  if (at < end && (value[at] == '\'' || value[at] == '"')) {
    end = std::min(value.find(value[at], at + 1), end);
    ++at;
  }
  return at < end ? std::optional(Place{at, end - at}) : std::nullopt;
}

std::optional<Place> followed_url(const http::Header& line) {
  if (http::equal_no_case(line.name, "Refresh")) return refresh_place(line.value);
  const bool is_url = http::equal_no_case(line.name, "Location") || http::equal_no_case(line.name, "Content-Location");
  return is_url ? std::optional(Place{0, line.value.size()}) : std::nullopt;
}

std::string_view cookie_name(std::string_view pair) { return base::trim(pair.substr(0, pair.find('='))); }

/// Returns the Cookie line with only the device's cookies. A line without other cookies stays unchanged byte for byte.
std::string device_cookies_of(std::string_view line, const DeviceCookies& cookies) {
  std::string kept;
  bool all = true;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(';', begin), line.size());
    const std::string_view pair = base::trim(line.substr(begin, end - begin));
    if (cookies.has(cookie_name(pair))) {
      kept += (kept.empty() ? "" : "; ") + std::string(pair);
    } else if (!pair.empty()) {
      all = false;
    }
    begin = end + 1;
  }
  return all ? std::string(line) : kept;
}

http::Headers with_device_cookies(const http::Headers& headers, const DeviceCookies& cookies) {
  http::Headers out;
  for (const http::Header& line : headers) {
    if (!http::equal_no_case(line.name, "Cookie")) {
      out.add(line.name, line.value);
      continue;
    }
    const std::string kept = device_cookies_of(line.value, cookies);
    if (!kept.empty()) out.add(line.name, kept);
  }
  return out;
}

/// Removes what makes a response depend on the client's cache. A Range that depends on it goes, too.
void ask_for_whole(http::Headers& request) {
  if (request.contains("If-Range")) request.erase("Range");
  for (const char* const name : {"If-None-Match", "If-Modified-Since", "If-Range"}) request.erase(name);
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

// Devices set these at login. A browser may still have them from an earlier run of the recorder (docs/device-notes.md).
DeviceCookies::DeviceCookies() : names_{"id", "did", "_SSID", "smid", "stay_login"} {}

void DeviceCookies::see(const http::Headers& answer) {
  for (const std::string_view line : answer.all("Set-Cookie")) {
    const std::string_view name = cookie_name(line.substr(0, line.find(';')));
    if (!name.empty()) names_.insert(std::string(name));
  }
}

bool DeviceCookies::has(std::string_view name) const { return names_.contains(name); }

std::string without_base_path(std::string_view target, std::string_view base_path) {
  if (!under_base(target, base_path)) return std::string(target);
  const std::string_view rest = target.substr(base_path.size());
  return rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
}

http::Request to_device(const http::Request& request, const http::BaseUrl& device, std::string_view own_origin,
                        const DeviceCookies& cookies) {
  http::Request out{request.method,
                    with_base_path(request.target, device.path),
                    request.minor_version,
                    with_device_cookies(request.headers, cookies),
                    {}};
  out.headers.erase_if([](const http::Header& line) { return http::is_our_own(line.name); });
  ask_for_whole(out.headers);
  for (http::Header& line : out.headers) {
    const bool referer = http::equal_no_case(line.name, "Referer");
    if (!referer && !http::equal_no_case(line.name, "Origin")) continue;
    if (!under_origin(line.value, own_origin)) continue;
    const std::string rest = line.value.substr(own_origin.size());
    line.value = device.origin() + (referer && rest.starts_with('/') ? with_base_path(rest, device.path) : rest);
  }
  return out;
}

void request_to_cassette(http::Headers& request, std::string_view base_path, std::string_view own_origin) {
  ask_for_whole(request);
  bool is_own_page = false;
  for (http::Header& line : request) {
    if (http::equal_no_case(line.name, "Origin")) {
      is_own_page = is_own_page || http::equal_no_case(line.value, own_origin);
    } else if (http::equal_no_case(line.name, "Referer") && under_origin(line.value, own_origin)) {
      const std::string rest = line.value.substr(own_origin.size());
      line.value = without_base_path(rest.starts_with('/') ? rest : "/" + rest, base_path);
    }
  }
  if (!is_own_page) return;
  request.erase_if([own_origin](const http::Header& line) {
    return http::equal_no_case(line.name, "Origin") && http::equal_no_case(line.value, own_origin);
  });
}

std::optional<std::string> to_client(http::Headers& answer, const http::BaseUrl& device, std::string_view own_origin) {
  std::optional<std::string> other;
  answer.erase_if([](const http::Header& line) { return http::is_our_own(line.name); });
  for (http::Header& line : answer) {
    if (http::equal_no_case(line.name, "Access-Control-Allow-Origin")) {
      const auto allowed = device_url(line.value, device);
      if (allowed && allowed->is_same && allowed->rest.empty()) line.value = own_origin;
      continue;
    }
    const auto place = followed_url(line);
    if (!place || under_origin(std::string_view(line.value).substr(place->begin, place->length), own_origin)) continue;
    const auto url = device_url(std::string_view(line.value).substr(place->begin, place->length), device);
    if (!url) continue;
    line.value.replace(place->begin, place->length, std::string(own_origin) + url->rest);
    if (!url->is_same) other = url->origin;
  }
  return other;
}

void to_cassette(http::Headers& answer, std::string_view own_origin) {
  if (const auto allowed = answer.first("Access-Control-Allow-Origin"); allowed && under_origin(*allowed, own_origin)) {
    answer.erase("Access-Control-Allow-Origin");
  }
  for (http::Header& line : answer) {
    const auto place = followed_url(line);
    if (!place) continue;
    const std::string_view url = std::string_view(line.value).substr(place->begin, place->length);
    if (!under_origin(url, own_origin)) continue;
    const std::string rest(url.substr(own_origin.size()));
    line.value.replace(place->begin, place->length, rest.starts_with('/') ? rest : "/" + rest);
  }
}

}  // namespace tapedeck::proxy
