#pragma once
// How cassettes and their interactions are put into words.

#include <string>

#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cli {

/// "200", or "200/119" with the envelope's error code.
[[nodiscard]] std::string status_text(const cassettes::ListedInteraction& line);
/// "broken: ", "withheld: ", "ended by the client: ", or nothing.
[[nodiscard]] std::string note_of(const cassettes::ListedInteraction& line);
/// "demo.cassette: 12 interactions in 1 take".
[[nodiscard]] std::string describe(const cassettes::CassetteInfo& info, const std::string& path);
/// On standard error: unfinished, unverified, scrubbed by an older policy.
void warn_about(const cassettes::CassetteInfo& info, const std::string& path);

/// Finishes what a killed recorder has left beside the cassette, and logs it. Throws CassetteError.
void finish_leftover(const std::string& cassette);
/// Prints notes about files that earlier commands have left beside a cassette.
void mention_side_files(const std::string& cassette);

/// What `ls` says of one.
[[nodiscard]] nlohmann::ordered_json json_of(const cassettes::ListedInteraction& line);

}  // namespace tapedeck::cli
