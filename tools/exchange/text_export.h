#pragma once
// Exports a cassette as text for review (docs/cassettes.md).

#include <ostream>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// Writes only the data that two recordings of the same traffic have in common, without IDs and times. Throws
/// CassetteError or Stopped.
void export_review(const cassettes::CassetteReader& cassette, const ExportRange& range, std::ostream& out);

}  // namespace tapedeck::tools
