#pragma once
// Makes all changes of the recorder to requests and responses (docs/recording.md, "What is rewritten").

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::proxy {

/// A URL of the device.
struct DeviceUrl {
  std::string rest;     ///< path, query, and fragment, as spelled; begins with '/' unless it is empty
  std::string origin;   ///< "https://nas.example:5001", with the device's host as the recorder's options have it
  bool is_same = true;  ///< the recorded origin, not another scheme or port of the same host
};

/// Parses an absolute URL, or one without a scheme ("//host/x"). Returns nothing for a path, for another host, and for
/// schemes other than http and https. Ignores case and an explicit default port. If the device is at a loopback
/// address, all loopback addresses and "localhost" are equal.
[[nodiscard]] std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device);

/// Remembers the names of the device's cookies. Not thread-safe.
class DeviceCookies {
 public:
  DeviceCookies();
  /// Remembers the names of cookies that a response sets.
  void see(const http::Headers& answer);
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> names_;
};

/// Returns the target without the device's base path, which clients may omit. The result begins with '/' or is "*".
[[nodiscard]] std::string without_base_path(std::string_view target, std::string_view base_path);

/// Returns the request's head for the device: with the base path, the device's Origin and Referer in place of the
/// recorder's, only the device's cookies, and no X-Tapedeck-… headers. Leaves out If-None-Match, If-Modified-Since, and
/// If-Range with its Range, so that the device sends whole bodies. `own_origin` is the recorder's origin for the client
/// ("http://127.0.0.1:8080").
[[nodiscard]] http::Request to_device(const http::Request& request, const http::BaseUrl& device,
                                      std::string_view own_origin, const DeviceCookies& cookies);

/// Changes the head of a request for storage: removes the headers that to_device() leaves out, and the recorder's
/// origin, because a replay server has another one. A Referer with this origin becomes a path without the device's base
/// path, and an Origin with it is removed.
void request_to_cassette(http::Headers& request, std::string_view base_path, std::string_view own_origin);

/// Removes X-Tapedeck-… headers. Replaces the device's origin with the recorder's in Location, Content-Location,
/// Refresh, and Access-Control-Allow-Origin (device_url). Except in the last header, also replaces other schemes and
/// ports of the device's host, because a client would otherwise leave the recorder unnoticed. Returns such another
/// origin for a warning.
std::optional<std::string> to_client(http::Headers& answer, const http::BaseUrl& device, std::string_view own_origin);

/// Changes the head of a response for storage: removes the recorder's origin before a path, and an
/// Access-Control-Allow-Origin with it, because a replay server has another one.
void to_cassette(http::Headers& answer, std::string_view own_origin);

}  // namespace tapedeck::proxy
