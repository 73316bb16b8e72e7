#pragma once
// What is left of a recorded Set-Cookie line on replay (semantics §4).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tapedeck::replay {

/// Seconds since 1970, by RFC 6265 §5.1.1; nothing for a text that names no date.
[[nodiscard]] std::optional<std::int64_t> cookie_date(std::string_view text);

/// [begin, end) of the line.
struct KeptPiece {
  std::size_t begin = 0, end = 0;
};

/// The pieces of `Name: value` that are sent, in order. Domain goes, and the lifetime unless it says that the cookie is
/// deleted: that it was over when the answer was recorded (seconds since 1970). `secure`: the answer goes over TLS.
/// Elsewhere `Secure` goes too, but not where a browser would drop the cookie without it (SameSite=None,
/// `__Host-`, `__Secure-`): loopback is trustworthy to it.
[[nodiscard]] std::vector<KeptPiece> kept_of_cookie(std::string_view line, std::int64_t recorded, bool secure);

}  // namespace tapedeck::replay
