#pragma once
// Creates login requests for a device and parses its responses (docs/device-notes.md, "Login and sessions"). Has no
// side effects.

#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::proxy {

/// The facts about logins in a device's API.Info.
struct LoginWay {
  std::string label = "SYNO";      ///< label of its API names
  std::string path = "entry.cgi";  ///< under /webapi/
  unsigned version = 6;            ///< the newest version that both sides support
  std::string encryption_path;     ///< path of API.Encryption; empty if the device does not have it
};

/// Returns the API.Info request for a login, with names under `label`. The request needs no session.
[[nodiscard]] http::Request info_request(const http::BaseUrl& device, std::string_view label);
/// Returns nothing if the response is not API.Info or does not list API.Auth.
[[nodiscard]] std::optional<LoginWay> login_way(std::string_view body, std::string_view label);

/// The fields of a login, as views into protected memory.
struct LoginFields {
  std::string_view account, password;
  std::string_view code;       ///< a one-time code; with it, a device token is requested
  std::string_view device_id;  ///< the device token of an earlier login, which replaces a code
};
/// Returns the login request. The fields are in the body, which devices do not log. The request always requests a CSRF
/// token.
[[nodiscard]] http::Request login_request(const http::BaseUrl& device, const LoginWay& way, const LoginFields& fields);

/// The result of API.Encryption getinfo.
struct PublicKey {
  std::string modulus, cipher_key, cipher_token, server_time;
};
[[nodiscard]] http::Request encryption_request(const http::BaseUrl& device, const LoginWay& way);
[[nodiscard]] std::optional<PublicKey> public_key(std::string_view body);
/// Returns the same login with encrypted fields, or nothing if the key cannot be used.
[[nodiscard]] std::optional<http::Request> sealed_request(const http::Request& login, const PublicKey& key);

struct LoginAnswer {
  std::string session_id;  ///< empty if the login was refused
  std::string csrf_token, device_id;
  std::optional<int> error_code;  ///< nothing if it is not a response of a device

  [[nodiscard]] bool is_success() const { return !session_id.empty(); }
};
[[nodiscard]] LoginAnswer login_answer(std::string_view body);
/// Returns true for an error code with which a device reports that it does not support this form of login.
[[nodiscard]] bool asks_for_another_form(int error_code);
/// Returns a description such as "error 400: no such account, or a wrong password".
[[nodiscard]] std::string login_error(int error_code);

[[nodiscard]] http::Request logout_request(const http::BaseUrl& device, const LoginWay& way,
                                           std::string_view session_id, std::string_view csrf_token);

}  // namespace tapedeck::proxy
