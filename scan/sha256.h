#pragma once
// SHA-256 (FIPS 180-4), for fingerprints: this folder may not use another folder's.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::scan {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// 32 hex digits of a salted hash that costs about a millisecond: the value in it may be a weak one.
[[nodiscard]] std::string slow_fingerprint(std::string_view text);

}  // namespace tapedeck::scan
