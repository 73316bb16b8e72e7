#pragma once
// Finds the calls in a compound call of which only the key is known.

#include <vector>

#include "api/request_key.h"

namespace tapedeck::api {

/// Returns the key of each part of a compound call, in order, as for the part itself (Call::parts), with its redacted
/// places. Returns nothing for a key that is not a compound's or cannot be taken apart; leaves out incomplete calls.
[[nodiscard]] std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy);

}  // namespace tapedeck::api
