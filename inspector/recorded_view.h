#pragma once
// Presents the content of a cassette as JSON.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::inspector {

/// Returns {"body":…,"headers":…,"reason":…,"status":…} (shown.h).
[[nodiscard]] nlohmann::json recorded_answer(const cassettes::FullInteraction& recorded, std::uint64_t from);
/// Returns {"headers":…,"parameters":…,"path":…} of the recorded request.
[[nodiscard]] nlohmann::json recorded_request(const cassettes::FullInteraction& recorded);
/// Returns the place of a recording: cassette, ID, key, take, lane, session, and time.
[[nodiscard]] nlohmann::json recorded_facts(const cassettes::FullInteraction& recorded, const std::string& cassette);
/// Returns one line of a sequence.
[[nodiscard]] nlohmann::json listed(const cassettes::ListedInteraction& line, bool played);

}  // namespace tapedeck::inspector
