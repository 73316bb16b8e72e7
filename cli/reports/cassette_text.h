#pragma once
// Describes cassettes and their interactions as text.

#include <string>

#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cli {

/// Returns the status, such as "200", or "200/119" with the error code of the envelope.
[[nodiscard]] std::string status_text(const cassettes::ListedInteraction& line);
/// Returns a prefix such as "broken: ", "withheld: ", or "ended by the client: ", or an empty text.
[[nodiscard]] std::string note_of(const cassettes::ListedInteraction& line);
/// Returns a summary, such as "demo.cassette: 12 interactions in 1 take".
[[nodiscard]] std::string describe(const cassettes::CassetteInfo& info, const std::string& path);
/// Opens a cassette. Prints warnings on standard error if it is unfinished, unverified, or scrubbed by an older policy.
[[nodiscard]] cassettes::CassetteReader open_cassette(const std::string& path);

/// Returns the interaction with this ID, which may be abbreviated to four digits. Throws UsageError if there is none.
[[nodiscard]] cassettes::FullInteraction interaction_named(const cassettes::CassetteReader& cassette,
                                                           const std::string& path, const std::string& id);

/// Finishes the recording that a killed recorder left beside the cassette, and logs it. Throws CassetteError.
void finish_leftover(const std::string& cassette);
/// Prints notes about files that earlier commands left beside a cassette.
void mention_side_files(const std::string& cassette);

/// Returns an interaction as `ls --json` prints it.
[[nodiscard]] nlohmann::ordered_json json_of(const cassettes::ListedInteraction& line);

}  // namespace tapedeck::cli
