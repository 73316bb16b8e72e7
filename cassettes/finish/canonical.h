#pragma once
// Writes the finished form of a cassette into a new file (docs/cassette-format.md).

#include <cstdint>
#include <string>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

struct CanonicalResult {
  std::uint64_t interactions = 0;
  std::uint64_t scrubbed_late = 0;
  std::uint64_t unverified = 0;               ///< takes of which nobody knows what they had learned
  std::vector<ScrubbedAgain> scrubbed_again;  ///< the first of them, in the order of `ls`
  std::vector<Conflict> conflicts;            ///< of all takes
  Fingerprints allowed;                       ///< the reviewed findings that the new file names
};

/// `recording` has one more take than the material, or is null. `destination` must not exist; it is created with mode
/// 0600, and holds nothing of use when this throws. It is not synced.
[[nodiscard]] CanonicalResult canonicalise(Material& material, SQLite::Database* recording,
                                           const std::string& destination, CanonicalOptions options);

}  // namespace tapedeck::cassettes
