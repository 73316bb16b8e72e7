#pragma once
// Writes the finished form of a cassette into a new file (docs/cassette-format.md, "Canonical order").

#include <cstdint>
#include <string>

#include "cassettes/survey.h"

namespace tapedeck::cassettes {

struct CanonicalOptions {
  scrubbers::Scrubber* scrubber = nullptr;  ///< scrubs everything again, and marks every take verified
  bool close_takes = true;                  ///< false: takes that were not finished stay so
  Progress progress = [](const char*, std::uint64_t, std::uint64_t) {};
};

struct CanonicalResult {
  std::uint64_t interactions = 0;
  std::uint64_t scrubbed_late = 0;
};

/// `destination` must not exist; it is created with mode 0600, and holds nothing of use when this throws. It is not
/// synced. `source` is a cassette whose schema was checked; it is only read.
[[nodiscard]] CanonicalResult canonicalise(SQLite::Database& source, State state, const std::string& destination,
                                           const CanonicalOptions& options);

}  // namespace tapedeck::cassettes
