#pragma once
// A hash of what a cassette says, whenever and with whatever it was recorded (semantics §7).

#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// 64 hex digits; equal on every machine and library version for equal content. Times, take numbers and tool versions
/// are not in it.
[[nodiscard]] std::string content_hash(const CassetteReader& cassette);

}  // namespace tapedeck::cassettes
