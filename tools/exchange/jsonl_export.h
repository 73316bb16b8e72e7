#pragma once
// One interaction a line, its members flat: for jq, DuckDB, ClickHouse, Spark (docs/exchange.md lists the members).

#include <ostream>
#include <string>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// `name` is the member `cassette` of each line. Every line has every member; what is not known is null. Throws
/// CassetteError, Stopped.
void export_jsonl(const cassettes::CassetteReader& cassette, const std::string& name, const ExportRange& range,
                  std::ostream& out);

}  // namespace tapedeck::tools
