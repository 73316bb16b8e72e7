#pragma once
// Answers on their way out: late, cut, or not at all, where overlays say so.

#include <memory>

#include "replay/chain/reply.h"

namespace tapedeck::replay {

/// Sends it, later where the reply says so: no thread waits.
void deliver(std::shared_ptr<http::Exchange> exchange, Reply reply);

/// What a part of a compound was done to is done to the whole: a mishap hits all of it, delays add up where the parts
/// go `one_after_another`, otherwise the longest counts.
void take_over(DeliveryPlan& whole, const DeliveryPlan& part, bool one_after_another);

}  // namespace tapedeck::replay
