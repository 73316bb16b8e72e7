#pragma once
// The finished file is looked at once more before it may replace another.

#include <cstdint>
#include <string>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

/// Throws CassetteError unless the file opens as any reader would open it, SQLite finds no fault in it, it has that
/// many interactions in whole sequences, each redaction lies inside its text, and each body has its SHA-256.
void verify(const std::string& path, std::uint64_t interactions, const Progress& progress);

}  // namespace tapedeck::cassettes
