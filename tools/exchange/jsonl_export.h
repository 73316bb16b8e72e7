#pragma once
// Exports flat JSON lines for jq and DuckDB (docs/cassettes.md). `tapedeck import` creates an equal cassette from them.

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "cassettes/file/take.h"
#include "cassettes/read/cassette_reader.h"
#include "scrubbers/redaction/scrubbed_interaction.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// Writes one line for the cassette, one for each interaction, and one at the end. `name` is the cassette's path.
/// Throws CassetteError or Stopped.
void export_jsonl(const std::string& name, const ExportRange& range, std::ostream& out);

/// Returns the key according to the take's key policy. Throws std::invalid_argument if the policy is unknown.
[[nodiscard]] api::RequestKey key_of(const scrubbers::InteractionRecord& record, const cassettes::Take& take);
/// Returns the take with that number. Throws std::out_of_range if there is none.
[[nodiscard]] const cassettes::Take& take_of(const std::vector<cassettes::Take>& takes, std::uint32_t number);

}  // namespace tapedeck::tools
