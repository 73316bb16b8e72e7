#pragma once
// All smallest sets of elements that show something, each on its own: several changes may each break a test, and others
// only together.

#include <cstddef>
#include <functional>
#include <vector>

#include "tools/delta/ddmin.h"

namespace tapedeck::tools {

struct MinimalSetsOptions {
  DeltaOptions search;
  std::size_t most = 10;          ///< the search ends when so many were found
  std::vector<ElementSet> known;  ///< sets that are known to be minimal ones
  /// Called with each new set, before the search goes on; false ends the search. Empty: all are taken.
  std::function<bool(const ElementSet& set)> confirm;
};

struct MinimalSets {
  std::vector<ElementSet> sets;  ///< the known ones first
  bool is_complete = false;      ///< what is left without them does not show it; false when the search was ended
};

/// Requires that `all` shows it. Whenever a set is found, the search goes on without each of its elements in turn
/// (Reiter's tree), so sets that share an element are found too.
[[nodiscard]] MinimalSets minimal_sets(const ElementSet& all, const Oracle& oracle, const MinimalSetsOptions& options);

}  // namespace tapedeck::tools
