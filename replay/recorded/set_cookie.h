#pragma once
// Rewrites a recorded Set-Cookie header for replay (docs/replay.md, "Details of HTTP").

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tapedeck::replay {

/// Parses a date by RFC 6265 §5.1.1 into seconds since 1970. Returns nothing for an invalid date.
[[nodiscard]] std::optional<std::int64_t> cookie_date(std::string_view text);

/// A range of the line: [begin, end).
struct KeptPiece {
  std::size_t begin = 0, end = 0;
};

/// Returns the pieces of `Name: value` that are sent, in order. Removes Domain. Removes the lifetime, unless the header
/// deletes the cookie because the lifetime had ended when the response was recorded (in seconds since 1970). `secure`:
/// the response uses TLS. Without TLS, also removes `Secure`, unless a browser would then drop the cookie
/// (SameSite=None, `__Host-`, `__Secure-`); browsers accept such cookies from loopback.
[[nodiscard]] std::vector<KeptPiece> kept_of_cookie(std::string_view line, std::int64_t recorded, bool secure);

}  // namespace tapedeck::replay
