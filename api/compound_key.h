#pragma once
// The calls in a compound call of which only the key is at hand.

#include <vector>

#include "api/request_key.h"

namespace tapedeck::api {

/// The key that the policy gives each part of the compound call with that key, in order: the same as that of the part
/// itself (Call::parts), redacted places too. Empty for what is no compound's key, or not to be taken apart; what is no
/// whole call is left out.
[[nodiscard]] std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy);

}  // namespace tapedeck::api
