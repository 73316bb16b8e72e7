#pragma once
// Recognizes URLs of the device.

#include <optional>
#include <string>
#include <string_view>

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

}  // namespace tapedeck::proxy
