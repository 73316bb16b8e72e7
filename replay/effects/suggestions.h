#pragma once
// Effects that a recording shows.

#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Blocks of an overlay file, each with a comment that names its interactions: of writes whose parameters turn up in the
/// difference between the responses to a read before and after it in the same lane. Empty: there are none.
[[nodiscard]] std::string suggested_effects_toml(const cassettes::CassetteReader& reader);

}  // namespace tapedeck::replay
