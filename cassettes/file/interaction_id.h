#pragma once
// The name of an interaction (semantics §7): the id that people see. It survives merging and rewriting.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

/// The id that people see, as bytes.
using Digest = std::array<char, interaction_name_size>;

/// What identifies an interaction for good: its take, and in it the request and the response.
struct Identity {
  std::string_view take_id;
  std::string_view scope;    ///< its name; empty: recorded without one
  std::string_view key;      ///< its text
  std::string_view content;  ///< a digest of request and response
  std::uint32_t n = 0;       ///< how many with all of this equal came before it in the take
};
/// Returns the first 8 bytes of the SHA-256 over all of it. Made when an interaction is first finished, and stored.
[[nodiscard]] Digest interaction_digest(const Identity& identity);

[[nodiscard]] std::string sha256_bytes(std::string_view bytes);

}  // namespace tapedeck::cassettes
