#pragma once
// Checks a finished file before it replaces another one.

#include <cstdint>
#include <string>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

/// Throws CassetteError unless all conditions hold: a reader can open the file, SQLite finds no error in it, it has
/// this number of interactions in complete sequences, each redaction is inside its text, and each body has its SHA-256.
void verify(const std::string& path, std::uint64_t interactions, const Progress& progress);

}  // namespace tapedeck::cassettes
