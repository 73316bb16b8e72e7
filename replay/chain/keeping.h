#pragma once
// Selects what the journal keeps of a request besides its entry: enough to show it later, and nothing that must not be
// shown.

#include <memory>

#include "journal/journal_key.h"
#include "journal/kept_request.h"
#include "replay/chain/reply.h"
#include "replay/chain/request_context.h"

namespace tapedeck::replay {

/// Only names a recorded response that is sent unchanged. Copies anything else, without values of the session and of
/// scrub rules.
[[nodiscard]] std::shared_ptr<const journal::KeptRequest> keep(RequestContext& context, const Reply& reply,
                                                               const journal::JournalKeys& keys);

}  // namespace tapedeck::replay
