#pragma once
// Changes one recorded response, for `set` and `edit`.

#include <functional>
#include <string>

#include "cli/options/rule_options.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cli {

class Command;

struct ResponseChangeOptions {
  std::string cassette, id;
  RuleOptions rules;
  bool json = false;
};

/// Adds CASSETTE, ID, --config, and --json.
void add_response_options(Command& command, ResponseChangeOptions& options);

/// Calls `change` with the interaction, scrubs the changed response, and rewrites the cassette. If `change` returns
/// false or changes nothing, the cassette stays unchanged. Returns the exit status. Passes on exceptions of `change`;
/// the cassette then also stays unchanged.
[[nodiscard]] int change_response(const ResponseChangeOptions& options,
                                  const std::function<bool(scrubbers::InteractionRecord&)>& change);

}  // namespace tapedeck::cli
