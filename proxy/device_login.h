#pragma once
// What is said to a device to log in, and how its answers are read (field notes, "Login and sessions"). Pure.

#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::proxy {

/// What a device's API.Info says of logging in.
struct LoginWay {
  std::string label = "SYNO";      ///< of its API names
  std::string path = "entry.cgi";  ///< under /webapi/
  unsigned version = 6;            ///< the newest that is spoken here and there
  std::string encryption_path;     ///< of API.Encryption; empty: it has none
};

/// API.Info for what a login needs, with names under `label`. Needs no session.
[[nodiscard]] http::Request info_request(const http::BaseUrl& device, std::string_view label);
/// Nothing for what is no such answer, or names no API.Auth.
[[nodiscard]] std::optional<LoginWay> login_way(std::string_view body, std::string_view label);

/// What a login is made of. Views into memory that is locked.
struct LoginFields {
  std::string_view account, password;
  std::string_view code;       ///< of two-factor authentication; with it a device token is asked for
  std::string_view device_id;  ///< a device token of an earlier login, which stands for a code
};
/// Fields are in the body, which no log of a device shows. A CSRF token is always asked for.
[[nodiscard]] http::Request login_request(const http::BaseUrl& device, const LoginWay& way, const LoginFields& fields);

/// What API.Encryption getinfo gives.
struct PublicKey {
  std::string modulus, cipher_key, cipher_token, server_time;
};
[[nodiscard]] http::Request encryption_request(const http::BaseUrl& device, const LoginWay& way);
[[nodiscard]] std::optional<PublicKey> public_key(std::string_view body);
/// The same login with its fields sealed. Nothing for a key that cannot be used.
[[nodiscard]] std::optional<http::Request> sealed_request(const http::Request& login, const PublicKey& key);

struct LoginAnswer {
  std::string session_id;  ///< empty: it was refused
  std::string csrf_token, device_id;
  std::optional<int> error_code;  ///< nothing for what is no answer of a device

  [[nodiscard]] bool is_success() const { return !session_id.empty(); }
};
[[nodiscard]] LoginAnswer login_answer(std::string_view body);
/// True for a code with which a device says that it does not understand a login as it is, not that it refuses it.
[[nodiscard]] bool asks_for_another_form(int error_code);
/// "error 400: no such account, or a wrong password".
[[nodiscard]] std::string login_error(int error_code);

[[nodiscard]] http::Request logout_request(const http::BaseUrl& device, const LoginWay& way,
                                           std::string_view session_id, std::string_view csrf_token);

}  // namespace tapedeck::proxy
