#pragma once
// Computes the name of an interaction, which is the ID in outputs (docs/cassette-format.md). It stays the same when
// cassettes are merged or rewritten.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

/// The name as bytes.
using Digest = std::array<char, interaction_name_size>;

/// Writes fields one after another with their lengths, so that different contents have different texts.
class HashedFields {
 public:
  HashedFields& add(std::string_view value) {
    text_ += std::to_string(value.size());
    text_ += ':';
    text_ += value;
    return *this;
  }
  HashedFields& add(std::uint64_t value) { return add(std::to_string(value)); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The facts that identify an interaction permanently: its take, and the request and response in it.
struct Identity {
  std::string_view take_id;
  std::string_view scope;    ///< the scope's name; empty: none
  std::string_view key;      ///< the key's text
  std::string_view content;  ///< a digest of request and response
  std::uint32_t n = 0;       ///< the number of equal interactions before it in the take
};
/// Returns the first 8 bytes of the SHA-256 of all members. Computed when an interaction is first finished, then
/// stored.
[[nodiscard]] Digest interaction_digest(const Identity& identity);

[[nodiscard]] std::string sha256_bytes(std::string_view bytes);
/// Returns the first bytes of the SHA-256.
[[nodiscard]] Digest digest_of(std::string_view bytes);

}  // namespace tapedeck::cassettes
