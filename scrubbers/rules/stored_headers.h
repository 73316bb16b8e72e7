#pragma once
// Which header lines are stored at all (docs/scrubbing.md, "Headers").

#include "http/message/message.h"

namespace tapedeck::scrubbers {

/// By a list of what is kept: clients send what nobody thought of.
[[nodiscard]] http::Headers stored_request_headers(const http::Headers& headers);
/// All but hop-by-hop lines, framing, Content-Encoding and Date.
[[nodiscard]] http::Headers stored_answer_headers(const http::Headers& headers);
/// Of a withheld interaction: Content-Type alone.
[[nodiscard]] http::Headers safe_headers(const http::Headers& headers);

}  // namespace tapedeck::scrubbers
