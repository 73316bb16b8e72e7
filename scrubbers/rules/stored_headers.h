#pragma once
// Decides which headers are stored (docs/secrets.md, "What is replaced").

#include "http/message/message.h"

namespace tapedeck::scrubbers {

/// Keeps listed headers, and those that may tell requests apart (api::is_never_identity).
[[nodiscard]] http::Headers stored_request_headers(const http::Headers& headers);
/// Keeps all but hop-by-hop headers, framing, Content-Encoding, Date, and X-Tapedeck-….
[[nodiscard]] http::Headers stored_answer_headers(const http::Headers& headers);
/// For a withheld interaction: keeps only Content-Type.
[[nodiscard]] http::Headers safe_headers(const http::Headers& headers);

}  // namespace tapedeck::scrubbers
