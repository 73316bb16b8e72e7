#pragma once
// Finds responses that replay looks up by another key than their interaction's: parts of compounds, and responses to
// conditions (docs/cassette-format.md, sequence).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cassettes/finish/lanes.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct FoundAside {
  std::string key_text;                       ///< part_key() of a part; the interaction's own key for a condition
  std::string conditions;                     ///< the condition, as api::conditions_of() spells it; empty for a part
  Aside aside;                                ///< without the numbers of its key and secrets
  std::vector<scrubbers::Redaction> secrets;  ///< for a part: redactions_in() its key
  std::uint64_t response = 0;                 ///< for a part with secrets: response_mark()
};

/// Returns the parts of a compound call, or the response to a condition or range; nothing for most interactions. Leaves
/// out parts without a response (the compound was stopped), logins, and incomplete calls.
[[nodiscard]] std::vector<FoundAside> asides_of(const scrubbers::InteractionRecord& record,
                                                const api::KeyPolicy& policy);

/// Returns the error code of a compound whose parts all report the end of a session although its own envelope is a
/// success; nothing for any other.
[[nodiscard]] std::optional<int> end_of_session(std::span<const Aside> its);

}  // namespace tapedeck::cassettes
