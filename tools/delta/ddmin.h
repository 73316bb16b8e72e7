#pragma once
// Delta debugging: finds the elements of a list that are needed to reproduce something, such as a failure. The search
// is the ddmin of Zeller and Hildebrandt with complements only: it removes chunks of the list as long as the rest still
// reproduces it, and halves the chunks when none can be removed. Finding one element among n takes fewer than 2·log2(n)
// + 2 tests.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tapedeck::tools {

/// Indices of a list, in ascending order.
using ElementSet = std::vector<std::size_t>;

/// Returns the index of the first of `sets` that reproduces the failure, or nothing if none does. May test several sets
/// in parallel.
using Oracle = std::function<std::optional<std::size_t>(std::span<const ElementSet> sets)>;
/// Returns an oracle that tests one set after another with `shows`.
[[nodiscard]] Oracle one_by_one(std::function<bool(const ElementSet& set)> shows);

struct DeltaOptions {
  std::size_t at_once = 1;  ///< the maximum number of sets that the oracle receives at a time
  /// Returns false to end the search with the best result so far. Called before each test, and after each negative
  /// result, which then does not count. If it is empty, the search has no limit.
  std::function<bool()> goes_on;
  /// Called before each test with the number of remaining elements.
  std::function<void(std::size_t left)> progress;
};

struct Minimized {
  ElementSet set;           ///< the smallest set that the oracle confirmed
  bool is_minimal = false;  ///< no element can be removed; false if the search ended early
};

/// Returns a minimal subset of `start` that reproduces it. Requires that `start` does. No set is tested twice, so an
/// unreliable oracle cannot keep the search going. The empty set is tested, too.
[[nodiscard]] Minimized ddmin(ElementSet start, const Oracle& oracle, const DeltaOptions& options = {});

/// Returns 0, 1, … count - 1.
[[nodiscard]] ElementSet all_elements(std::size_t count);
/// Returns the elements of `set` that are not in `gone`.
[[nodiscard]] ElementSet without(const ElementSet& set, const ElementSet& gone);

}  // namespace tapedeck::tools
