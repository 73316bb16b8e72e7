#pragma once
// Finds all smallest sets of elements that reproduce something: several changes may each break a test, and others only
// together.

#include <cstddef>
#include <functional>
#include <vector>

#include "tools/delta/ddmin.h"

namespace tapedeck::tools {

struct MinimalSetsOptions {
  DeltaOptions search;
  std::size_t most = 10;          ///< the search ends after this number of sets
  std::vector<ElementSet> known;  ///< sets that are known to be minimal
  /// Called with each new set; false ends the search. Empty: all are accepted.
  std::function<bool(const ElementSet& set)> confirm;
};

struct MinimalSets {
  std::vector<ElementSet> sets;  ///< the known ones first
  bool is_complete = false;      ///< nothing is reproduced without them; false if the search ended early
};

/// Requires that `all` reproduces it. After each set, the search continues without each of its elements in turn
/// (Reiter's tree), so sets that share an element are found, too.
[[nodiscard]] MinimalSets minimal_sets(const ElementSet& all, const Oracle& oracle, const MinimalSetsOptions& options);

}  // namespace tapedeck::tools
