#pragma once
// A cassette as a text that people read and review (docs/cassettes.md).

#include <ostream>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// What two recordings of the same traffic have in common: no ids, times, shapes. Throws CassetteError, Stopped.
void export_review(const cassettes::CassetteReader& cassette, const ExportRange& range, std::ostream& out);

}  // namespace tapedeck::tools
