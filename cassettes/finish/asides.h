#pragma once
// Finds responses that replay does not look up by the key of their interaction alone: parts of compounds, and responses
// to conditional requests (docs/cassette-format.md, sequence).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cassettes/finish/lanes.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct FoundAside {
  std::string key_text;                       ///< part_key() of a part; the interaction's own key for a condition
  std::string conditions;                     ///< result of api::conditions_of(); empty for a part
  Aside aside;                                ///< `key` and `secrets` are not set yet
  std::vector<scrubbers::Redaction> secrets;  ///< for a part: result of redactions_in() for its key
  std::uint64_t response = 0;                 ///< for a part with secrets: result of response_mark()
};

/// Returns the parts of a compound call, or the response to a condition or range. Returns nothing for most
/// interactions. Leaves out logins, incomplete calls, and parts without a response (because the compound was stopped).
[[nodiscard]] std::vector<FoundAside> asides_of(const scrubbers::InteractionRecord& record,
                                                const api::KeyPolicy& policy);

/// Returns the error code that ends the session if all parts of a compound report such a code, even if the envelope of
/// the whole is a success. Otherwise returns nothing.
[[nodiscard]] std::optional<int> end_of_session(std::span<const Aside> its);

}  // namespace tapedeck::cassettes
