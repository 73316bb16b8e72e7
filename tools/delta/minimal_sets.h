#pragma once
// Finds all smallest sets of elements that reproduce a failure. Several changes may break a test independently, and
// others only together.

#include <cstddef>
#include <functional>
#include <vector>

#include "tools/delta/ddmin.h"

namespace tapedeck::tools {

struct MinimalSetsOptions {
  DeltaOptions search;
  std::size_t most = 10;          ///< the search ends after this number of sets
  std::vector<ElementSet> known;  ///< sets that are known to be minimal
  /// Called with each new set. If it returns false, the search ends. If it is empty, all sets are accepted.
  std::function<bool(const ElementSet& set)> confirm;
};

struct MinimalSets {
  std::vector<ElementSet> sets;  ///< beginning with the known ones
  bool is_complete = false;      ///< true if the failure does not occur without them; false if the search ended early
};

/// Requires that `all` reproduces the failure. After each set, the search continues without each of its elements in
/// turn (Reiter's tree), so sets that share an element are found, too.
[[nodiscard]] MinimalSets minimal_sets(const ElementSet& all, const Oracle& oracle, const MinimalSetsOptions& options);

}  // namespace tapedeck::tools
