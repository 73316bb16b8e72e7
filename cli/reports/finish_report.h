#pragma once
// Reports the results of finishing a cassette, for `record` and `scrub`.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cassettes/finish/finish.h"
#include "cassettes/read/drawn_parameters.h"

namespace tapedeck::cli {

enum class ScrubbedAgain { counted, listed };
/// Lists requests that replay cannot distinguish, if there are any.
void print_conflicts(const std::vector<cassettes::Conflict>& conflicts, const std::string& cassette);
/// Lists the headers that replay matches because of these recordings (cassettes::learned_identity_headers), if there
/// are any.
void print_learned_headers(const std::vector<std::string>& headers);
/// Proposes to ignore these parameters.
void print_drawn_parameters(const std::vector<cassettes::DrawnParameter>& parameters);
void print_finish(const cassettes::FinishReport& report, const std::string& cassette,
                  ScrubbedAgain scrubbed_again = ScrubbedAgain::counted);
/// Prints the report as one JSON object.
void print_finish_json(const cassettes::FinishReport& report, const std::string& cassette);
/// Returns the exit status (docs/reference.md, "Exit status"): incomplete if the leak scan withholds the cassette, and
/// run_failed if it is not finished for any other reason.
[[nodiscard]] int finish_status(const cassettes::FinishReport& report);

}  // namespace tapedeck::cli
