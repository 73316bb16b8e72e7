#pragma once
// Data for the micro-benchmarks, made once.

#include <string>
#include <vector>

#include "api/interaction.h"
#include "scrubbers/redaction/scrubbed_interaction.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::bench {

/// Returns the 288 calls of the usual load.
[[nodiscard]] const std::vector<api::Interaction>& usual_interactions();
/// Returns the same after scrubbing.
[[nodiscard]] const std::vector<scrubbers::ScrubbedInteraction>& usual_scrubbed();

/// Teaches `count` passwords of 20 letters and digits, like logins, and waits until the search is ready.
void teach(scrubbers::Scrubber& scrubber, int count);

/// Returns a new temporary folder, which is removed at the end of the program.
[[nodiscard]] std::string new_folder();

}  // namespace tapedeck::bench
