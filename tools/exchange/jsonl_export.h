#pragma once
// JSON lines, flat, for jq and DuckDB (docs/exchange.md); `tapedeck import` makes an equal cassette of them.

#include <ostream>
#include <string>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// One line about the cassette, one for each interaction, and one at the end; `name` is the cassette's path. Throws
/// CassetteError, Stopped.
void export_jsonl(const std::string& name, const ExportRange& range, std::ostream& out);

}  // namespace tapedeck::tools
