#pragma once
// A first contact with the device before a recording starts.

#include "http/device/relay.h"

namespace tapedeck::cli {

/// Connects to the device and, for https, shakes hands; sends no request. On a terminal the user may accept a
/// certificate that nothing vouches for: it is pinned in the returned options, and kept for the next time.
/// Throws std::runtime_error that says what is wrong and which option or URL helps.
[[nodiscard]] http::RelayOptions reached(http::RelayOptions relay);

}  // namespace tapedeck::cli
