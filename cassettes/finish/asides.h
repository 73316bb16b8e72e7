#pragma once
// Answers that replay looks up by another key than their interaction's: parts of compounds, and answers to conditions
// (docs/cassette-format.md, sequence).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cassettes/finish/lanes.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct FoundAside {
  std::string key_text;    ///< of a part its part_key(), of an answer to a condition the interaction's own key
  std::string conditions;  ///< of an answer to a condition: as api::conditions_of spells them
  Aside aside;             ///< but for the numbers of its key and its secrets
  std::vector<scrubbers::Redaction> secrets;  ///< of a part: redactions_in() its key
  std::uint64_t response = 0;                 ///< of a part with secrets: response_mark()
};

/// The parts of a compound call, or the answer to a condition or range; nothing for most interactions. Parts of which
/// no answer is there (the call was stopped), logins, and what is no whole call are left out.
[[nodiscard]] std::vector<FoundAside> asides_of(const scrubbers::InteractionRecord& record,
                                                const api::KeyPolicy& policy);

/// The code that a compound tells whose parts all tell of a session's end, while its own envelope says success; nothing
/// of any other.
[[nodiscard]] std::optional<int> end_of_session(std::span<const Aside> its);

}  // namespace tapedeck::cassettes
