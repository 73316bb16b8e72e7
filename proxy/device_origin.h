#pragma once
// Recognizes URLs of the device in all spellings.

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

/// Parses a URL reference as browsers do, and as curl does where curl accepts more. Returns nothing for a reference
/// without an authority ("/x"), for another host, and for schemes other than http and https. Ignores differences in
/// case, tabs, the number and direction of slashes, a final dot, an explicit default port, user info, percent-encoding
/// in the host, "//host", and the forms of an IP address. If the device is at a loopback address, all loopback
/// addresses and names are equal. `followed_over_tls`: the client follows the reference from an https page, where
/// "https:x" is a path and "http:x" a host.
[[nodiscard]] std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device,
                                                  bool followed_over_tls);
/// Does the same for a client of the device itself.
[[nodiscard]] inline std::optional<DeviceUrl> device_url(std::string_view reference, const http::BaseUrl& device) {
  return device_url(reference, device, device.tls);
}

}  // namespace tapedeck::proxy
