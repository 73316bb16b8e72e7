#pragma once
// Splits the key of a compound call into the keys of the calls in it.

#include <vector>

#include "api/request_key.h"

namespace tapedeck::api {

/// Returns the keys of the calls in a compound (Call::parts), in order, as if each call were sent alone, with their
/// redacted places. Leaves out incomplete calls. Returns nothing for a key that does not belong to a compound or cannot
/// be split.
[[nodiscard]] std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy);

}  // namespace tapedeck::api
