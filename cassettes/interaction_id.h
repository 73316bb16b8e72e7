#pragma once
// The id that people see (semantics §7): it survives merging and packing.

#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::cassettes {

/// First 8 bytes of SHA-256 over the key's text, a NUL, the lane and n as 4-byte big-endian numbers.
[[nodiscard]] std::string interaction_digest(std::string_view key_text, std::uint32_t lane, std::uint32_t n);
/// First 8 bytes of the text's SHA-256, as a signed number.
[[nodiscard]] std::int64_t key_hash(std::string_view key_text);
[[nodiscard]] std::string sha256_bytes(std::string_view bytes);

}  // namespace tapedeck::cassettes
