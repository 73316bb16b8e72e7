#pragma once
// Everything that the recorder changes in requests and responses (docs/recording.md, "What is rewritten").

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::proxy {

/// The names of the device's cookies. Not thread-safe.
class DeviceCookies {
 public:
  DeviceCookies();
  /// Remembers the names of cookies that a response sets.
  void see(const http::Headers& answer);
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> names_;
};

/// Returns the target without the device's base path, which clients may omit. Begins with '/' (or is "*").
[[nodiscard]] std::string without_base_path(std::string_view target, std::string_view base_path);

/// Returns the request's head for the device: with the base path, the device's Origin and Referer in place of the
/// recorder's, only the device's cookies, and no X-Tapedeck-… headers. `own_origin` is the recorder's origin for the
/// client ("http://127.0.0.1:8080").
[[nodiscard]] http::Request to_device(const http::Request& request, const http::BaseUrl& device,
                                      std::string_view own_origin, const DeviceCookies& cookies);

/// Changes the request's head for storing: removes the recorder's origin, because a replay server has another one. A
/// Referer with it becomes a path without the device's base path; an Origin with it is removed.
void request_to_cassette(http::Headers& request, std::string_view base_path, std::string_view own_origin);

/// Replaces the device's origin with the recorder's in Location, Content-Location, Refresh, and
/// Access-Control-Allow-Origin, in every spelling (device_url), and, except in the last, also other schemes and ports
/// of the device's host. Otherwise a client would leave the recorder silently. Returns such another origin for a
/// warning.
std::optional<std::string> to_client(http::Headers& answer, const http::BaseUrl& device, std::string_view own_origin);

/// Changes the response's head for storing: removes the recorder's origin before a path, and an
/// Access-Control-Allow-Origin with it, because a replay server has another one.
void to_cassette(http::Headers& answer, std::string_view own_origin);

}  // namespace tapedeck::proxy
