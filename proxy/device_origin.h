#pragma once
// Recognizes URLs of the device, however they are spelled.

#include <optional>
#include <string>
#include <string_view>

#include "http/message/url.h"

namespace tapedeck::proxy {

/// A URL of the device.
struct DeviceUrl {
  std::string rest;     ///< path, query, and fragment, as spelled; begins with '/' unless it is empty
  std::string origin;   ///< "https://nas.example:5001", in its usual spelling
  bool is_same = true;  ///< the recorded origin, not another scheme or port of the same host
};

/// Reads a URL reference as browsers do, and curl where it goes further. Nothing for one without an authority ("/x"),
/// for another host, and for schemes other than http and https. Case, tabs, the number and direction of slashes, a dot
/// at the end, a default port that is spelled out, user info, percent-encoding in the host, "//host" and the forms of
/// an IP address make no difference; where the device is a loopback address, so does no other loopback address or name.
/// `followed_over_tls`: the client follows it from an https page, to which "https:x" is a path and "http:x" a host.
[[nodiscard]] std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device,
                                                  bool followed_over_tls);
/// Does the same for a client of the device itself.
[[nodiscard]] inline std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device) {
  return device_url(reference, device, device.tls);
}

}  // namespace tapedeck::proxy
