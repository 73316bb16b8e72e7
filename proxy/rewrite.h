#pragma once
// What the recorder changes on the way, and nothing else (semantics §4, docs/recording.md "What is rewritten").

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::proxy {

/// The names of the cookies that are the device's business. Not thread-safe.
class DeviceCookies {
 public:
  DeviceCookies();
  /// Takes note of every name that the answer sets.
  void see(const http::Headers& answer);
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> names_;
};

/// The client's target without the device's base path, which clients may use or leave out: always begins with '/'
/// (or is "*").
[[nodiscard]] std::string without_base_path(std::string_view target, std::string_view base_path);

/// The request's head as it goes to the device: base path in front, Origin and Referer of the recorder turned into the
/// device's, only the device's cookies, and no X-Tapedeck-… lines. `own_origin` is what the client knows the recorder
/// by
/// ("http://127.0.0.1:8080").
[[nodiscard]] http::Request to_device(const http::Request& request, const http::BaseUrl& device,
                                      std::string_view own_origin, const DeviceCookies& cookies);

/// The request's head as it is stored: of a Referer under the recorder's own origin the path alone, without the
/// device's base path, and no such Origin. A replay server has another origin, and so has the next recording of the
/// same.
void request_to_cassette(http::Headers& request, std::string_view base_path, std::string_view own_origin);

/// The device's own origin in Location, Content-Location, Refresh and Access-Control-Allow-Origin becomes the
/// recorder's, in every spelling (device_url). So do other schemes and ports of the device's host, the last header
/// aside, or else a client would leave the recorder without a word, and replay would send clients to the real device.
/// Returns such an origin for a warning: what is there is not what is recorded.
std::optional<std::string> to_client(http::Headers& answer, const http::BaseUrl& device, std::string_view own_origin);

/// The answer's head as it is stored: an own origin in front of a path is left out, because a replay server has another
/// one, and an Access-Control-Allow-Origin that names it goes.
void to_cassette(http::Headers& answer, std::string_view own_origin);

}  // namespace tapedeck::proxy
