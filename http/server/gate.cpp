#include "http/server/gate.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.h"

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

/// Returns nothing for "null" and for anything else that is not an origin.
std::optional<Origin> parse_origin(std::string_view text) {
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

/// Returns true if `authority` is the `Host` of requests to this origin.
bool is_at(const Origin& origin, std::string_view authority) {
  const Authority parts = split(authority);
  return equal_no_case(origin.host, parts.host) && has_port(origin, parts.port);
}

/// Does the same, but treats `localhost`, `127.0.0.1`, and `[::1]` as equal.
bool is_beside(const Origin& origin, std::string_view authority) {
  const Authority parts = split(authority);
  return is_this_machine(origin.host) && is_this_machine(parts.host) && has_port(origin, parts.port);
}

/// Returns the host of an authority, without port and brackets.
std::string_view host_of(std::string_view authority) {
  const std::string_view host = split(authority).host;
  return host.starts_with('[') ? host.substr(1, host.find(']') - 1) : host;
}

bool is_loopback_host(std::string_view host) {
  return equal_no_case(host, "localhost") || host.ends_with(".localhost") ||
         Endpoint{std::string(host), 0}.is_loopback();
}

/// Returns the Sec-Fetch-Site header if it shows a page of another origin.
std::optional<std::string_view> other_site(const Request& request) {
  for (const std::string_view site : request.headers.all("Sec-Fetch-Site")) {
    if (equal_no_case(site, "cross-site") || equal_no_case(site, "same-site")) return site;
  }
  return std::nullopt;
}

bool navigates(const Request& request) {
  return equal_no_case(request.headers.first("Sec-Fetch-Mode").value_or(""), "navigate");
}

Response preflight_response(const Request& request) {
  Response response;
  response.status = 204;
  response.reason = "No Content";
  response.headers.add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS");
  if (const auto asked = request.headers.first("Access-Control-Request-Headers")) {
    response.headers.add("Access-Control-Allow-Headers", *asked);
  }
  response.headers.add("Access-Control-Max-Age", "600");
  return response;
}

}  // namespace

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
  const auto origin = parse_origin(text.substr(0, text.size() - (pattern.any_port_ ? 2 : 0)));
  if (!origin) throw std::invalid_argument("must be SCHEME://HOST, SCHEME://HOST:PORT, SCHEME://HOST:* or *");
  pattern.origin_ = *origin;
  return pattern;
}

bool OriginPattern::fits(std::string_view text) const {
  if (any_) return true;
  auto origin = parse_origin(text);
  if (origin && any_port_) origin->port = origin_.port;
  return origin && *origin == origin_;
}

Gate::Gate(GateOptions options, Handler& next) : options_(std::move(options)), next_(next) {}

bool Gate::host_passes(std::string_view authority) const {
  const std::string_view host = host_of(authority);
  if (equal_no_case(host, options_.listen.host) || is_loopback_host(host)) return true;
  return std::any_of(options_.allow_hosts.begin(), options_.allow_hosts.end(),
                     [&](const std::string& allowed) { return allowed == "*" || equal_no_case(host, allowed); });
}

Gate::Page Gate::page_of(const Request& request) const {
  const auto text = request.headers.first("Origin");
  if (!text) return Page::none;
  if (std::any_of(options_.cors.begin(), options_.cors.end(),
                  [&](const OriginPattern& allowed) { return allowed.fits(*text); })) {
    return Page::let_in;
  }
  const auto origin = parse_origin(*text);
  const std::string_view host = request.headers.first("Host").value_or("");
  if (!origin) return Page::foreign;
  if (is_at(*origin, host)) return Page::own;
  return is_beside(*origin, host) ? Page::let_in : Page::foreign;
}

std::optional<Gate::Refused> Gate::why_not(const Request& request, Page page) const {
  const std::string_view host = request.headers.first("Host").value_or("");
  if (!host.empty() && !host_passes(host)) {
    const std::string name(host_of(host));
    // A text that is not a name may contain a password, as in user:password@name.
    if (!is_host(name)) {
      return Refused{"requests with this Host are refused; --allow-host NAME allows them",
                     "a Host that is not the name of a host is refused"};
    }
    return Refused{"requests with this Host are refused; --allow-host NAME allows them",
                   "Host " + name + " is refused; --allow-host " + name + " allows it"};
  }
  if (page == Page::foreign) {
    const std::string_view text = request.headers.first("Origin").value_or("");
    const bool is_origin = parse_origin(text).has_value();
    const std::string origin(is_origin || text == "null" ? text : "another Origin");
    return Refused{"requests from this Origin are refused; --cors ORIGIN allows them",
                   "requests from pages of " + origin + " are refused; --cors " +
                       (is_origin ? origin : std::string("'*'")) + " allows them"};
  }
  if (page == Page::let_in) return std::nullopt;
  const auto site = other_site(request);
  const bool shows_page = site && navigates(request) && options_.is_page && options_.is_page(request);
  if (site && !shows_page) {
    return Refused{"requests from pages of another origin are refused; --cors ORIGIN allows them",
                   "a page of another origin sent a request without a usable Origin (Sec-Fetch-Site: " +
                       std::string(*site) + "); requests with an Origin are allowed by --cors ORIGIN"};
  }
  return std::nullopt;
}

void Gate::note(const Request& request, const std::string& line) {
  constexpr std::size_t most_lines = 100;  // limited, because clients choose the text
  refused_.fetch_add(1, std::memory_order_relaxed);
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    is_new = lines_.size() < most_lines && lines_.insert(line).second;
  }
  if (options_.on_refused) options_.on_refused(request, line, is_new);
}

void Gate::handle(std::shared_ptr<Exchange> exchange) {
  const Request& request = exchange->request();
  const Page page = page_of(request);
  if (const auto refused = why_not(request, page)) {
    note(request, refused->line);
    return exchange->respond(text_response(403, std::string(refused->why) + "\n"));
  }
  if (page != Page::let_in) return next_.handle(std::move(exchange));
  exchange->allow_page(std::string(request.headers.first("Origin").value_or("")));
  if (request.method == "OPTIONS" && request.headers.contains("Access-Control-Request-Method")) {
    return exchange->respond(preflight_response(request));
  }
  next_.handle(std::move(exchange));
}

}  // namespace tapedeck::http
