#include "http/message/browser_request.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "http/message/urlencoded.h"

namespace tapedeck::http {
namespace {

constexpr std::array<std::string_view, 5> by_themselves = {"/favicon.ico", "/favicon.svg", "/favicon.png",
                                                           "/robots.txt", "/browserconfig.xml"};

bool is_touch_icon(std::string_view path) {
  return (path.starts_with("/apple-touch-icon") || path.starts_with("/android-chrome-")) && path.ends_with(".png") &&
         path.find('/', 1) == std::string_view::npos;
}

}  // namespace

bool is_below_webapi(std::string_view path) {
  return path.ends_with("/webapi") || path.find("/webapi/") != std::string_view::npos;
}

bool is_browsers_own(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return false;
  const std::string_view path = split_target(request.target).path;
  if (is_below_webapi(path)) return false;
  return std::find(by_themselves.begin(), by_themselves.end(), path) != by_themselves.end() || is_touch_icon(path) ||
         path.starts_with("/.well-known/") || path.ends_with(".map");
}

}  // namespace tapedeck::http
