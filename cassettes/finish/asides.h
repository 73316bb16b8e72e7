#pragma once
// Finds the parts of compounds, which replay also looks up by their own keys (docs/cassette-format.md, sequence).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cassettes/finish/lanes.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct FoundAside {
  std::string key_text;                       ///< part_key() of the part
  Aside aside;                                ///< `key` and `secrets` are not set yet
  std::vector<scrubbers::Redaction> secrets;  ///< result of redactions_in() for its key
  std::uint64_t response = 0;                 ///< with secrets: result of response_mark()
};

/// Returns the parts of a compound call. Returns nothing for most interactions. Leaves out logins, incomplete calls,
/// and parts without a response (because the compound was stopped).
[[nodiscard]] std::vector<FoundAside> asides_of(const scrubbers::InteractionRecord& record,
                                                const api::KeyPolicy& policy);

/// Returns the error code that ends the session if all parts of a compound report such a code, even if the envelope of
/// the whole is a success. Otherwise returns nothing.
[[nodiscard]] std::optional<int> end_of_session(std::span<const Aside> its);

}  // namespace tapedeck::cassettes
