#pragma once
// Compares two responses to the same call: status, headers, envelope, and body.

#include <string>
#include <vector>

#include "scrubbers/redaction/scrubbed_interaction.h"
#include "tools/diff/change.h"

namespace tapedeck::tools {

/// Returns true if the responses are equal except for headers that do not describe the content.
[[nodiscard]] bool is_same(const scrubbers::InteractionRecord& a, const scrubbers::InteractionRecord& b);
/// Returns true for Content-Type, Location, and other headers that a client needs to interpret the response. Date,
/// ETag, and lengths are not compared.
[[nodiscard]] bool is_compared_header(std::string_view name);
[[nodiscard]] http::Headers compared_headers(const http::Headers& headers);

/// Returns the differences. If the envelopes differ in success or error code, the bodies are not compared further.
[[nodiscard]] std::vector<Change> response_changes(const scrubbers::InteractionRecord& a,
                                                   const scrubbers::InteractionRecord& b);

}  // namespace tapedeck::tools
