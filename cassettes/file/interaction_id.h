#pragma once
// The id that people see (semantics §7): it survives merging and packing.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::cassettes {

/// Bytes of the id that people see.
inline constexpr std::size_t digest_size = 8;

/// What says which interaction it is, for good: its take, and in it what was asked and answered.
struct Identity {
  std::string_view take_id;
  std::string_view scope;    ///< its name; empty: recorded without one
  std::string_view key;      ///< its text
  std::string_view content;  ///< a digest of request and answer
  std::uint32_t n = 0;       ///< how many with all of this equal came before it in the take
};
/// First 8 bytes of the SHA-256 over all of it. Made when an interaction is first finished, and stored.
[[nodiscard]] std::string interaction_digest(const Identity& identity);

/// What a key is found by, in one scope: the first 16 bytes of the SHA-256 over its text, or over a NUL, the scope's
/// name, a NUL and its text. In the order of the bytes.
struct KeyHash {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const KeyHash&) const = default;
  [[nodiscard]] std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};
[[nodiscard]] KeyHash key_hash(std::string_view key_text, std::string_view scope = {});

/// Rows of `interaction` stand under their keys' hashes: a row's number is made of the hash's first 32 bits and 24 bits
/// that count, from 1, the rows of all keys with these 32.
inline constexpr int place_bits = 24;
inline constexpr std::int64_t most_places = (std::int64_t{1} << place_bits) - 1;
/// The first row of all keys whose hashes begin like this one. No row of another lies in [it, it + most_places).
[[nodiscard]] std::int64_t first_row(const KeyHash& hash);

[[nodiscard]] std::string sha256_bytes(std::string_view bytes);

}  // namespace tapedeck::cassettes
