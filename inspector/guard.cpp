#include "inspector/guard.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "http/message/url.h"
#include "inspector/page_files.h"
#include "inspector/routes.h"

namespace tapedeck::inspector {
namespace {

bool is_ours(std::string_view host, std::uint16_t port) {
  try {
    const http::Endpoint endpoint = http::Endpoint::parse(host);
    return endpoint.is_loopback() && endpoint.port == port;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool from_a_page_elsewhere(const http::Request& head, std::string_view host) {
  const auto origins = head.headers.all("Origin");
  if (origins.size() > 1 || (origins.size() == 1 && origins.front() != "http://" + std::string(host))) return true;
  const auto sites = head.headers.all("Sec-Fetch-Site");
  return std::any_of(sites.begin(), sites.end(),
                     [](std::string_view site) { return site != "none" && site != "same-origin"; });
}

bool has_token(const http::Request& head, std::string_view token) {
  constexpr std::string_view scheme = "Bearer ";
  std::vector<std::string_view> given = head.headers.all("X-Tapedeck-Token");
  for (const std::string_view value : head.headers.all("Authorization")) {
    if (value.size() < scheme.size() || !http::equal_no_case(value.substr(0, scheme.size()), scheme)) return false;
    given.push_back(value.substr(scheme.size()));
  }
  return given.size() == 1 && same_token(given.front(), token);
}

bool is_json(const http::Headers& headers) {
  return headers.all("Content-Type").size() == 1 && http::equal_no_case(http::media_type(headers), "application/json");
}

Refusal check_body(const http::Request& head, std::size_t largest) {
  if (head.headers.contains("Content-Encoding")) return {415, "send the body without a Content-Encoding", {}};
  if (!is_json(head.headers)) return {415, "the Content-Type must be application/json", {}};
  if (head.headers.all("Content-Length").size() != 1) return {411, "send the body with one Content-Length", {}};
  std::size_t length = 0;
  const std::string_view text = head.headers.first("Content-Length").value_or("");
  std::from_chars(text.data(), text.data() + text.size(), length);
  if (length > largest) return {413, "the body is limited to " + std::to_string(largest) + " bytes", {}};
  return {};
}

std::string methods_of(std::string_view path) {
  std::string methods;
  for (const Route& route : routes()) {
    if (route.takes(path)) methods.append(methods.empty() ? "" : ", ").append(route.method);
  }
  return methods;
}

}  // namespace

Refusal check(const http::Request& head, const Access& access) {
  const auto hosts = head.headers.all("Host");
  if (hosts.size() != 1 || !is_ours(hosts.front(), access.port)) {
    return {403, "the Host must be a loopback name or address with this port", {}};
  }
  if (from_a_page_elsewhere(head, hosts.front())) {
    return {403, "web pages of other origins cannot use the control API", {}};
  }
  if (access.page && find_page_file(head.target) != nullptr) {
    return head.method == "GET" ? Refusal{} : Refusal{405, "the files of the page support only GET", "GET"};
  }
  if (!has_token(head, access.token)) {
    return {401, "send the token from the ready file, once, as Authorization: Bearer TOKEN or X-Tapedeck-Token", {}};
  }
  if (head.headers.contains("Transfer-Encoding")) return {411, "send the body with a Content-Length", {}};
  const std::string_view path = std::string_view(head.target).substr(0, head.target.find('?'));
  const Route* const route = find_route(path, head.method);
  if (route == nullptr) return {404, "no such path; docs/control-api.md lists all paths", {}};
  if (head.method != route->method) {
    const std::string takes = methods_of(path);
    return {405, std::string(path) + " takes " + takes, takes};
  }
  return route->method == "POST" ? check_body(head, route->largest_body()) : Refusal{};
}

bool same_token(std::string_view given, std::string_view token) {
  if (token.empty() || given.size() != token.size()) return false;
  // volatile keeps the compiler from ending the loop at the first difference.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (given[i] ^ token[i]));
  }
  return difference == 0;
}

}  // namespace tapedeck::inspector
