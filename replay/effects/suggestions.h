#pragma once
// Finds effects that a recording shows.

#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Returns blocks of an overlay file, each with its interactions in a comment, for writes whose parameters occur in the
/// difference between the responses to a read before and after it in the same lane. Empty: there are none.
[[nodiscard]] std::string suggested_effects_toml(const cassettes::CassetteReader& reader);

}  // namespace tapedeck::replay
