#pragma once
// Material for the micro-benchmarks, made once.

#include <string>
#include <vector>

#include "api/interaction.h"
#include "scrubbers/scrubbed_interaction.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::bench {

/// The 288 calls of the usual load.
[[nodiscard]] const std::vector<api::Interaction>& usual_interactions();
/// The same, through a scrubber.
[[nodiscard]] const std::vector<scrubbers::ScrubbedInteraction>& usual_scrubbed();

/// Teaches `count` passwords of 20 letters and digits, as logins would, and waits until the search set is compiled.
void teach(scrubbers::Scrubber& scrubber, int count);

/// A new folder under the system's temporary one; gone when the program ends.
[[nodiscard]] std::string new_folder();

}  // namespace tapedeck::bench
