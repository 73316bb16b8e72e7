#pragma once
// How cassettes and their interactions are put into words.

#include <string>

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

}  // namespace tapedeck::cli
