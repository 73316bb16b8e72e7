#pragma once
// The id that people see (semantics §7): it survives merging and packing.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::cassettes {

/// First 8 bytes of SHA-256 over the key's text, a NUL, the lane and n as 4-byte big-endian numbers.
[[nodiscard]] std::string interaction_digest(std::string_view key_text, std::uint32_t lane, std::uint32_t n);
/// The first 16 bytes of a key text's SHA-256: what a key is found by. In the order of the bytes.
struct KeyHash {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const KeyHash&) const = default;
  [[nodiscard]] std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};
[[nodiscard]] KeyHash key_hash(std::string_view key_text);

/// Rows of `interaction` stand under their keys' hashes: a row's number is made of the hash's first 32 bits and 24 bits
/// that count, from 1, the rows of all keys with these 32.
inline constexpr int place_bits = 24;
inline constexpr std::int64_t most_places = (std::int64_t{1} << place_bits) - 1;
/// The first row of all keys whose hashes begin like this one. No row of another lies in [it, it + most_places).
[[nodiscard]] std::int64_t first_row(const KeyHash& hash);

[[nodiscard]] std::string sha256_bytes(std::string_view bytes);

}  // namespace tapedeck::cassettes
