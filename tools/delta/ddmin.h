#pragma once
// Delta debugging: which elements of a list are needed to show something, such as a failure. Knows nothing of what the
// elements are. The search is the ddmin of Zeller and Hildebrandt with complements alone: it removes chunks of the list
// as long as the rest still shows it, and halves the chunks when none can be removed. One element among n takes fewer
// than 2·log2(n) + 2 questions.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tapedeck::tools {

/// Places in a list, in rising order.
using ElementSet = std::vector<std::size_t>;

/// Returns the place of the first of `sets` that shows it, or nothing when none does. It may look at all of them at the
/// same time.
using Oracle = std::function<std::optional<std::size_t>(std::span<const ElementSet> sets)>;
/// An oracle that asks `shows` about one set after the other.
[[nodiscard]] Oracle one_by_one(std::function<bool(const ElementSet& set)> shows);

struct DeltaOptions {
  std::size_t at_once = 1;  ///< so many sets are given to the oracle at a time
  /// False ends the search with what is known. Called before each question and after each no, which then does not
  /// count. Empty: without a limit.
  std::function<bool()> goes_on;
  /// Called before each question with the number of elements that are left.
  std::function<void(std::size_t left)> progress;
};

struct Minimized {
  ElementSet set;           ///< the smallest that was found; the oracle has said that it shows it
  bool is_minimal = false;  ///< without any one of its elements it does not; false when the search was ended
};

/// Requires that `start` shows it. There are no two questions about one set, so an oracle that changes its mind cannot
/// keep the search going. The empty set is a set like any other.
[[nodiscard]] Minimized ddmin(ElementSet start, const Oracle& oracle, const DeltaOptions& options = {});

/// 0, 1, … count - 1.
[[nodiscard]] ElementSet all_elements(std::size_t count);
/// What `set` has and `gone` does not.
[[nodiscard]] ElementSet without(const ElementSet& set, const ElementSet& gone);

}  // namespace tapedeck::tools
