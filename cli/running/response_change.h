#pragma once
// Changes one recorded response, for `tapedeck edit`.

#include <functional>
#include <string>

#include "cli/options/rule_options.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cli {

struct ResponseChangeOptions {
  std::string cassette, id;
  RuleOptions rules;
  bool json = false;
};

/// Calls `change` with the interaction, scrubs the changed response, and rewrites the cassette. If `change` returns
/// false or changes nothing, the cassette stays unchanged. Returns the exit status. Passes on exceptions of `change`;
/// the cassette then also stays unchanged.
[[nodiscard]] int change_response(const ResponseChangeOptions& options,
                                  const std::function<bool(scrubbers::InteractionRecord&)>& change);

}  // namespace tapedeck::cli
