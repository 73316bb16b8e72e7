#pragma once
// Removes the contents of an interaction if they include something that must not be stored.

#include <string_view>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

/// Returns the record without bodies, and with safe headers only (safe_headers()). Keeps target, key, and status. Sets
/// the digest of the response's body, an HMAC with a key that is discarded.
[[nodiscard]] InteractionRecord without_contents(InteractionRecord record, std::string_view reason);

/// Does the same, and also removes the request's target, because something was found in the target or the key. Keeps
/// API, version, and method of a call. Does not change the key, which then no longer matches the target.
[[nodiscard]] InteractionRecord without_request(InteractionRecord record, std::string_view reason);

}  // namespace tapedeck::scrubbers
