#pragma once
// Suggests effects for the writes of a recording.

#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Returns blocks of an overlay file, or an empty text. Compares the responses to the same read before and after a
/// write in its lane, and suggests an effect if the difference contains parameters of the write.
[[nodiscard]] std::string suggested_effects_toml(const cassettes::CassetteReader& reader);

}  // namespace tapedeck::replay
