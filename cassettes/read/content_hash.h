#pragma once
// Computes a hash of a cassette's content (docs/cassette-format.md).

#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// Returns 64 hex digits, which are equal on every machine for equal content. Times, take numbers, and tool versions do
/// not count.
[[nodiscard]] std::string content_hash(const CassetteReader& cassette);

}  // namespace tapedeck::cassettes
