#pragma once
// Splits the key of a compound call into the keys of the calls in it.

#include <vector>

#include "api/request_key.h"

namespace tapedeck::api {

/// Returns the keys of the calls in a compound (Call::parts), in order, as if they were sent alone, with their redacted
/// places. Returns nothing for a key that is not a compound's or cannot be split; leaves out incomplete calls.
[[nodiscard]] std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy);

}  // namespace tapedeck::api
