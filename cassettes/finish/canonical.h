#pragma once
// Writes a finished cassette into a new file (docs/cassette-format.md).

#include <cstdint>
#include <string>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

struct CanonicalResult {
  std::uint64_t interactions = 0;
  std::uint64_t scrubbed_late = 0;
  std::uint64_t unverified = 0;               ///< takes that may contain unscrubbed secrets
  std::vector<ScrubbedAgain> scrubbed_again;  ///< the first interactions that changed, in the order of `ls`
  std::vector<Conflict> conflicts;            ///< conflicts of all takes
  Fingerprints allowed;                       ///< the reviewed findings that the new file lists
};

/// Writes the material, and one more take if `recording` is not null. Creates `destination`, which must not exist, with
/// mode 0600. Does not sync it. If this throws, its content is unusable.
[[nodiscard]] CanonicalResult canonicalize(Material& material, SQLite::Database* recording,
                                           const std::string& destination, CanonicalOptions options);

}  // namespace tapedeck::cassettes
