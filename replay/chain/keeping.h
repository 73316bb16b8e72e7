#pragma once
// What the journal keeps of a request beside its line: enough to show it later, and nothing that must not be shown.

#include <memory>

#include "journal/journal_key.h"
#include "journal/kept_request.h"
#include "replay/chain/reply.h"
#include "replay/chain/request_context.h"

namespace tapedeck::replay {

/// A recorded answer that goes out as it is recorded is only named; anything else is copied, without what belongs to
/// the session and without values that a rule names.
[[nodiscard]] std::shared_ptr<const journal::KeptRequest> keep(RequestContext& context, const Reply& reply,
                                                               const journal::JournalKeys& keys);

}  // namespace tapedeck::replay
