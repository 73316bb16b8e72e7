#pragma once
// The id that people see (semantics §7): it survives merging and packing.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::cassettes {

/// First 8 bytes of SHA-256 over the key's text, a NUL, the lane and n as 4-byte big-endian numbers.
[[nodiscard]] std::string interaction_digest(std::string_view key_text, std::uint32_t lane, std::uint32_t n);
/// The first 16 bytes of a key text's SHA-256, as two signed big-endian numbers: what a key is found by.
struct KeyHash {
  std::int64_t high = 0, low = 0;
  auto operator<=>(const KeyHash&) const = default;
};
[[nodiscard]] KeyHash key_hash(std::string_view key_text);
[[nodiscard]] std::string sha256_bytes(std::string_view bytes);

}  // namespace tapedeck::cassettes
