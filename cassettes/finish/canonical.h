#pragma once
// Writes the finished form of a cassette into a new file (docs/cassette-format.md, "Canonical order").

#include <cstdint>
#include <string>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

struct CanonicalResult {
  std::uint64_t interactions = 0;
  std::uint64_t scrubbed_late = 0;
  std::uint64_t unverified = 0;               ///< takes of which nobody knows what they had learned
  std::vector<ScrubbedAgain> scrubbed_again;  ///< the first of them, in canonical order
  Fingerprints allowed;                       ///< the reviewed findings that the new file names
};

/// `destination` must not exist; it is created with mode 0600, and holds nothing of use when this throws. It is not
/// synced.
[[nodiscard]] CanonicalResult canonicalise(Material& material, const std::string& destination,
                                           const CanonicalOptions& options);
/// The same of a cassette whose schema was checked, with its unfinished takes; it is only read.
[[nodiscard]] CanonicalResult canonicalise(SQLite::Database& source, State state, const std::string& destination,
                                           const CanonicalOptions& options);

}  // namespace tapedeck::cassettes
