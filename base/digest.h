#pragma once
// Computes SHA-256, HMAC, and SHA-1, and returns random bytes from the system. Only the .cpp file includes OpenSSL.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tapedeck::base {

using Sha256 = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256 sha256(std::string_view bytes);
/// Returns the hash of all pieces in sequence.
[[nodiscard]] Sha256 sha256(std::initializer_list<std::string_view> pieces);
[[nodiscard]] Sha256 hmac_sha256(std::string_view key, std::string_view bytes);
/// Returns the 20 bytes of SHA-1, which WebSocket's handshake requires.
[[nodiscard]] std::string sha1(std::string_view bytes);
[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] std::string to_hex(const Sha256& digest);
/// Returns random bytes from the system.
[[nodiscard]] std::string random_bytes(std::size_t count);

}  // namespace tapedeck::base
