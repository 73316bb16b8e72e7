#pragma once
// Counts a cassette's content (`tapedeck stats`).

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "tools/selection.h"

namespace tapedeck::tools {

struct ApiStats {
  std::string api;  ///< full name, such as "SYNO.Core.Share"; "(no call)" for other requests
  std::uint64_t calls = 0, errors = 0, broken = 0, withheld = 0;
  std::uint64_t sequences = 0;  ///< number of sequences; each has one key, take, and lane
  std::uint64_t bytes = 0, largest = 0;
  /// Durations from the request to the end of the response. Percentiles are computed by nearest rank.
  std::int64_t median_us = 0, p95_us = 0, longest_us = 0;
};

struct Coverage {
  std::string name;  ///< "Core.AppPortal list"
  std::uint64_t calls = 0;
};

struct CassetteStats {
  std::vector<ApiStats> apis;  ///< sorted by name
  ApiStats all;
  std::vector<Coverage> specified;  ///< all operations that the specification describes in full, even without calls
  /// Number of other operations in the catalog, and how many of them were recorded.
  std::uint64_t catalog_operations = 0, catalog_seen = 0;
  std::uint64_t other_operations = 0;                      ///< distinct recorded operations that the catalog lacks
};

[[nodiscard]] CassetteStats stats_of(const cassettes::CassetteReader& cassette, const Selection& selection);

}  // namespace tapedeck::tools
