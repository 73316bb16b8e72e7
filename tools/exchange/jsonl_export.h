#pragma once
// JSON lines, flat, for jq and DuckDB (docs/cassettes.md); `tapedeck import` makes an equal cassette of them.

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "cassettes/file/take_row.h"
#include "cassettes/read/cassette_reader.h"
#include "scrubbers/scrubbed_interaction.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// One line about the cassette, one for each interaction, and one at the end; `name` is the cassette's path. Throws
/// CassetteError, Stopped.
void export_jsonl(const std::string& name, const ExportRange& range, std::ostream& out);

/// As the take's policy makes it. Throws std::invalid_argument for a policy that this program does not know.
[[nodiscard]] api::RequestKey key_of(const scrubbers::InteractionRecord& record, const cassettes::TakeRow& take);
/// Throws std::out_of_range when it is not there.
[[nodiscard]] const cassettes::TakeRow& take_of(const std::vector<cassettes::TakeRow>& takes, std::uint32_t number);

}  // namespace tapedeck::tools
