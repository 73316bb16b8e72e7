#pragma once
// Answers that replay looks up by another key than their interaction's (docs/cassette-format.md, aside).

#include <string>
#include <vector>

#include "cassettes/finish/lanes.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct FoundAside {
  std::string key_text;
  Aside aside;  ///< but for its key's number
};

/// The parts of a compound call, or the answer to a condition or range; nothing for most interactions. Parts of which
/// no answer is there (the call was stopped), logins, and what is no whole call are left out.
[[nodiscard]] std::vector<FoundAside> asides_of(const scrubbers::InteractionRecord& record,
                                                const api::KeyPolicy& policy);

}  // namespace tapedeck::cassettes
