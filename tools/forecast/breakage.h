#pragma once
// Finds which changes break which tests. The caller defines the changes and runs the tests.

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tools/delta/minimal_sets.h"

namespace tapedeck::tools {

/// The result of the tests with some of the changes.
struct ChangedRun {
  bool is_stopped = false;  ///< true if it was stopped; the other members are then meaningless
  bool passes = false;
  bool has_tests = false;         ///< true if the failed tests are known
  std::set<std::string> failing;  ///< names of the failed tests

  /// Returns true if the test failed. An empty name means the run as a whole.
  [[nodiscard]] bool fails(const std::string& test) const;
};

struct BreakingSet {
  ElementSet changes;           ///< changes that only break the tests together
  std::set<std::string> tests;  ///< names of the failing tests; an empty name is the run as a whole
};

struct Breakage {
  std::vector<BreakingSet> sets;
  bool is_complete = false;  ///< true if everything passes without these changes
  bool is_flaky = false;     ///< true if a set did not fail each time; it is then not in `sets`
};

struct BreakageOptions {
  DeltaOptions search;
  std::size_t most = 10;  ///< the maximum number of sets
};

class BreakageSearch {
 public:
  /// Runs the tests with each of the sets, in parallel.
  using Run = std::function<std::vector<ChangedRun>(std::span<const ElementSet> sets)>;

  /// Requires that the tests pass without changes.
  BreakageSearch(Run run, BreakageOptions options);

  /// Runs the tests once for each different set.
  [[nodiscard]] const ChangedRun& run(const ElementSet& changes);
  /// Finds the smallest breaking sets among `changes` for each failing test. Each set is confirmed by three runs, and
  /// by one without changes that passes.
  [[nodiscard]] Breakage find(const ElementSet& changes);

 private:
  void run_missing(std::span<const ElementSet> sets);
  [[nodiscard]] Oracle oracle_for(const std::string& test);
  [[nodiscard]] bool confirm(const ElementSet& set, const std::string& test, Breakage& breakage);
  void find_for(const std::string& test, const ElementSet& changes, Breakage& breakage);

  const Run run_;
  const BreakageOptions options_;
  std::map<ElementSet, ChangedRun> known_;
};

}  // namespace tapedeck::tools
