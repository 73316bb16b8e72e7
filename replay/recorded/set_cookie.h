#pragma once
// Rewrites a recorded Set-Cookie header for replay (docs/replay.md, "Details of HTTP").

#include <cstddef>
#include <string_view>
#include <vector>

namespace tapedeck::replay {

/// A range of the line: [begin, end).
struct KeptPiece {
  std::size_t begin = 0, end = 0;
};

/// Returns the pieces of `Name: value` that are sent, in order. Removes Domain. Removes the lifetime, unless the header
/// deletes the cookie (Max-Age of 0 or less, or Expires in 1970). `secure`: the response uses TLS. Without TLS, also
/// removes `Secure`, unless a browser would then drop the cookie (SameSite=None, `__Host-`, `__Secure-`); browsers
/// accept such cookies from loopback.
[[nodiscard]] std::vector<KeptPiece> kept_of_cookie(std::string_view line, bool secure);

}  // namespace tapedeck::replay
