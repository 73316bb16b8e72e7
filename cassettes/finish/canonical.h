#pragma once
// Writes a finished cassette into a new file (docs/cassette-format.md).

#include <string>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

/// Writes the material, and one more take if `recording` is not null. Creates `destination`, which must not exist, with
/// mode 0600. Does not sync it. Fills in the report and returns the reviewed findings that the new file lists. If this
/// throws, the file is unusable.
Fingerprints canonicalize(Material& material, SQLite::Database* recording, const std::string& destination,
                          CanonicalOptions options, FinishReport& report);

}  // namespace tapedeck::cassettes
