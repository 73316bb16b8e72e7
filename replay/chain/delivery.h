#pragma once
// Sends replies late, cut, or not at all, as overlays require.

#include <memory>

#include "replay/chain/reply.h"

namespace tapedeck::replay {

/// Sends the reply, after its delay if it has one. Does not block.
void deliver(std::shared_ptr<http::Exchange> exchange, Reply reply);

/// Applies the plan of a compound's part to the whole. A fault affects all of it. Delays add up if the parts are
/// handled `one_after_another`; otherwise, the longest one counts.
void take_over(DeliveryPlan& whole, const DeliveryPlan& part, bool one_after_another);

}  // namespace tapedeck::replay
