#pragma once
// Sends replies late, cut, or not at all, as overlays require.

#include <memory>

#include "replay/chain/reply.h"

namespace tapedeck::replay {

/// Sends the reply, later if it says so. Blocks no thread.
void deliver(std::shared_ptr<http::Exchange> exchange, Reply reply);

/// Applies the plan of a compound's part to the whole: a fault hits all of it, delays add up if the parts are handled
/// `one_after_another`, and otherwise the longest counts.
void take_over(DeliveryPlan& whole, const DeliveryPlan& part, bool one_after_another);

}  // namespace tapedeck::replay
