#pragma once
// Recognizes the requests that begin or end a session, in every API and in paths without one, and the names under which
// requests carry a session's ID (docs/replay.md, "Sessions").

#include <optional>
#include <string>
#include <string_view>

#include "api/call.h"

namespace tapedeck::api {

enum class SessionStep {
  none,
  login,
  logout,
};

/// Returns what a call does by the name of its method: `login`, `photo_login`, `logout`.
[[nodiscard]] SessionStep session_step(const Call& call);
/// Does the same for any request. One that is not a call (`call` is null) is recognized by the last segment of its path
/// without its version: `/webapi/SurveillanceStation/ThirdParty/Auth/Login/v1`.
[[nodiscard]] SessionStep session_step(const http::Request& request, const Call* call);

/// Returns the account's name in a login, without quotes; empty if there is none.
[[nodiscard]] std::string login_account(const http::Request& request, const Call* call);
/// Returns the password in a login, without quotes; empty if there is none.
[[nodiscard]] std::string login_password(const http::Request& request, const Call* call);

/// Where a request carries the ID of a session.
enum class IdPlace {
  parameter,
  cookie,
};
/// Returns the precedence of a session ID under this name in a request to `path`, starting at 0, or nothing if the
/// value is no session ID. A cookie of an application takes precedence in the application's own paths.
[[nodiscard]] std::optional<int> id_precedence(IdPlace place, std::string_view name, std::string_view value,
                                               std::string_view path);

/// Returns the session ID with the highest precedence among the cookies of a request to `path`; empty without one.
[[nodiscard]] std::string_view cookie_id(const http::Headers& headers, std::string_view path);
/// Returns the session ID with the highest precedence in a request, without quotes; empty without one.
[[nodiscard]] std::string carried_id(const http::Request& request, const Call* call);

}  // namespace tapedeck::api
