#pragma once
// The order of all exports: scope, API, method, key; then take, lane and place in the sequence.

#include <cstdint>
#include <functional>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// What is exported, and who is told how far it is.
struct ExportRange {
  /// Nothing: everything.
  std::function<bool(const cassettes::ListedInteraction&)> wanted;
  /// Interactions done and in all; false stops with Stopped.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

/// Holds keys and ids of the cassette, one interaction at a time whole. A body that was changed by other means is
/// CassetteError(damaged), which names the interaction.
void each_in_order(const cassettes::CassetteReader& cassette, const ExportRange& range,
                   const std::function<void(const cassettes::FullInteraction&)>& visit);

}  // namespace tapedeck::tools
