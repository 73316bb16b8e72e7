#pragma once
// Checks that the device can be reached before a recording starts.

#include "http/device/relay.h"

namespace tapedeck::cli {

/// Connects to the device, completes the TLS handshake for https, and sends no request. On a terminal the user may
/// accept an untrusted certificate, which is then pinned in the returned options and stored for the next time. Throws
/// std::runtime_error that names the problem and the option or URL that solves it.
[[nodiscard]] http::RelayOptions reached(http::RelayOptions relay);

}  // namespace tapedeck::cli
