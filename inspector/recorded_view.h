#pragma once
// What a cassette holds, as JSON.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::inspector {

/// {"body":…,"headers":…,"reason":…,"status":…} (shown.h).
[[nodiscard]] nlohmann::json recorded_answer(const cassettes::FullInteraction& recorded, std::uint64_t from);
/// {"headers":…,"parameters":…,"path":…} of the request that was recorded.
[[nodiscard]] nlohmann::json recorded_request(const cassettes::FullInteraction& recorded);
/// Where it stands: cassette, id, key, take, lane, session and when.
[[nodiscard]] nlohmann::json recorded_facts(const cassettes::FullInteraction& recorded, const std::string& cassette);
/// One line of a sequence.
[[nodiscard]] nlohmann::json listed(const cassettes::ListedInteraction& line, bool played);

}  // namespace tapedeck::inspector
