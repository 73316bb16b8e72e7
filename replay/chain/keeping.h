#pragma once
// Selects the data of a request that the journal keeps besides its entry: enough to show the request later, without
// anything secret.

#include <memory>

#include "journal/journal_key.h"
#include "journal/kept_request.h"
#include "replay/chain/reply.h"
#include "replay/chain/request_context.h"

namespace tapedeck::replay {

/// Returns the data to keep. Refers to a recorded response that is sent unchanged. Copies any other response, without
/// values of the session and of scrub rules.
[[nodiscard]] std::shared_ptr<const journal::KeptRequest> keep(RequestContext& context, const Reply& reply,
                                                               const journal::JournalKeys& keys);

}  // namespace tapedeck::replay
