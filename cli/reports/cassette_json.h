#pragma once
// Interactions as JSON.

#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cli {

/// What `ls` says of one.
[[nodiscard]] nlohmann::ordered_json json_of(const cassettes::ListedInteraction& line);

}  // namespace tapedeck::cli
