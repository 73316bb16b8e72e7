#pragma once
// Removes the contents of an interaction if they include something that must not be stored.

#include <string_view>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

/// Marks a record as withheld, with a digest of its response body. One that is already withheld keeps its digest, which
/// was computed from the original body.
void withhold(InteractionRecord& record, std::string_view answer_body, std::string_view reason,
              std::string_view digest_key);

/// Returns the record without bodies, and with safe headers only (safe_headers()). Keeps target, key, and status. Sets
/// the digest of the response's body, an HMAC with a key that is discarded.
[[nodiscard]] InteractionRecord without_contents(InteractionRecord record, std::string_view reason);

/// Does the same, and also removes the request's target, because something was found in the target or the key. Keeps
/// API, version, and method of a call. Does not change the key, which then no longer matches the target.
[[nodiscard]] InteractionRecord without_request(InteractionRecord record, std::string_view reason);

}  // namespace tapedeck::scrubbers
