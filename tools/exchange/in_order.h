#pragma once
// Visits interactions in the order of all exports: scope, key, take, lane, and position in the sequence.

#include <cstdint>
#include <functional>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// Selects interactions for an export and reports progress.
struct ExportRange {
  /// Returns true for interactions to export. If it is empty, all are exported.
  std::function<bool(const cassettes::ListedInteraction&)> wanted;
  /// Called with the number of finished interactions and the total. If it returns false, each_in_order() throws
  /// Stopped.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

/// Visits the selected interactions in order. Keeps only one complete interaction at a time in memory. Throws
/// CassetteError(damaged), which names the interaction, if another program changed a body.
void each_in_order(const cassettes::CassetteReader& cassette, const ExportRange& range,
                   const std::function<void(const cassettes::FullInteraction&)>& visit);

}  // namespace tapedeck::tools
