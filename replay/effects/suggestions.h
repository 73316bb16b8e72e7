#pragma once
// Suggests effects for the writes of a recording.

#include <string>
#include <utility>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Returns pairs of a pattern of writes and an `[[effect]]` block for it, in recorded order. Compares the responses to
/// the same read before and after a write in its lane, and suggests an effect if the difference contains parameters of
/// the write. Reads the whole cassette.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> suggested_effects(
    const cassettes::CassetteReader& reader);
/// Returns these blocks as an overlay file, or an empty text.
[[nodiscard]] std::string suggested_effects_toml(const cassettes::CassetteReader& reader);

}  // namespace tapedeck::replay
