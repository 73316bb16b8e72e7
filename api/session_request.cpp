#include "api/session_request.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "api/request_params.h"
#include "base/text.h"
#include "http/message/cookie.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

constexpr std::array<std::string_view, 3> account_names = {"account", "username", "user"};
constexpr std::array<std::string_view, 2> password_names = {"passwd", "password"};
constexpr std::array<std::string_view, 3> id_cookies = {"id", "PHPSESSID", "sharing_sid"};

SessionStep step_of_word(std::string_view word) {
  if (base::equal_no_case(word, "login") || base::equal_no_case(word, "signin")) return SessionStep::login;
  if (base::equal_no_case(word, "logout") || base::equal_no_case(word, "signout")) return SessionStep::logout;
  return SessionStep::none;
}

/// Reads "photo_login" as a login, but not "get_login", which is about one.
SessionStep step_of_method(std::string_view method) {
  const SessionStep step = step_of_word(method);
  const std::size_t bar = method.rfind('_');
  if (step != SessionStep::none || bar == std::string_view::npos) return step;
  static constexpr std::array<std::string_view, 6> about = {"get", "set", "list", "check", "test", "pre"};
  const std::string first = base::fold(method.substr(0, method.find('_')));
  const bool is_about = std::find(about.begin(), about.end(), first) != about.end();
  return is_about ? SessionStep::none : step_of_word(method.substr(bar + 1));
}

bool is_version(std::string_view segment) {
  return segment.size() > 1 && base::fold(segment.front()) == 'v' &&
         std::all_of(segment.begin() + 1, segment.end(), base::is_digit);
}

std::string_view last_segment(std::string_view& path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  return last;
}

/// Returns true for a path of an application that has sessions of its own beside those of the device.
bool is_of_application(std::string_view path) {
  const std::size_t root = path.find("/webapi/");
  return (root != std::string_view::npos && root > 0) || path.starts_with("/photo/") || path.starts_with("/sharing/");
}

/// Returns true for a text that can be an ID of a program, but not for the ID of a Windows account.
bool looks_like_session_id(std::string_view value) {
  constexpr std::size_t shortest = 16;
  return value.size() >= shortest && !value.starts_with("S-1-") &&
         std::all_of(value.begin(), value.end(), http::is_unreserved);
}

std::vector<Param> all_params(const http::Request& request, const Call* call) {
  if (call != nullptr) return call->params();
  std::vector<Param> params = target_params(request, {});
  if (auto in_body = body_params(request, {})) {
    params.insert(params.end(), std::make_move_iterator(in_body->begin()), std::make_move_iterator(in_body->end()));
  }
  return params;
}

/// Returns the first value, without quotes, under the first of the names that has one.
std::string value_under(const http::Request& request, const Call* call, std::span<const std::string_view> names) {
  const std::vector<Param> params = all_params(request, call);
  for (const std::string_view name : names) {
    for (const Param& param : params) {
      if (param.name == name && !param.value.empty()) return std::string(without_quotes(param.value));
    }
  }
  return {};
}

}  // namespace

SessionStep session_step(const Call& call) { return step_of_method(call.method()); }

SessionStep session_step(const http::Request& request, const Call* call) {
  if (call != nullptr && !call->method().empty()) return session_step(*call);
  std::string_view path = http::split_target(request.target).path;
  std::string_view last = last_segment(path);
  if (is_version(last)) last = last_segment(path);
  return step_of_word(last.substr(0, last.find('.')));
}

std::string login_account(const http::Request& request, const Call* call) {
  return value_under(request, call, account_names);
}

std::string login_password(const http::Request& request, const Call* call) {
  return value_under(request, call, password_names);
}

std::optional<int> id_precedence(IdPlace place, std::string_view name, std::string_view value, std::string_view path) {
  // A long-polling connection has an ID under the same name as a session.
  const bool is_polling = path.find("socket.io") != std::string_view::npos;
  if (place == IdPlace::parameter) {
    if (name == "_sid") return 0;
    if (name == "sid" && !is_polling && looks_like_session_id(value)) return 1;
    return name == "sharing_sid" ? std::optional(2) : std::nullopt;
  }
  const auto found = std::find(id_cookies.begin(), id_cookies.end(), name);
  if (found == id_cookies.end()) return std::nullopt;
  constexpr int first = 3, behind_all = 3 + id_cookies.size();
  const auto order = static_cast<int>(found - id_cookies.begin());
  return order == 0 && is_of_application(path) ? behind_all : first + order;
}

std::string_view cookie_id(const http::Headers& headers, std::string_view path) {
  std::string_view best;
  int best_order = 0;
  for (const std::string_view name : id_cookies) {
    const std::string_view value = http::cookie(headers, name);
    const int order = id_precedence(IdPlace::cookie, name, value, path).value_or(0);
    if (value.empty() || (!best.empty() && best_order <= order)) continue;
    best = value;
    best_order = order;
  }
  return best;
}

std::string carried_id(const http::Request& request, const Call* call) {
  const std::string_view path = http::split_target(request.target).path;
  std::string best;
  std::optional<int> best_order;
  for (const Param& param : all_params(request, call)) {
    const std::string_view value = without_quotes(param.value);
    const auto order = id_precedence(IdPlace::parameter, param.name, value, path);
    if (value.empty() || !order || (best_order && *best_order <= *order)) continue;
    best = value;
    best_order = order;
  }
  // Every parameter takes precedence over cookies.
  return best_order ? best : std::string(cookie_id(request.headers, path));
}

}  // namespace tapedeck::api
