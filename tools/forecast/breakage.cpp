#include "tools/forecast/breakage.h"

#include <algorithm>

namespace tapedeck::tools {

bool ChangedRun::fails(const std::string& test) const {
  if (is_stopped) return false;
  return test.empty() || !has_tests ? !passes : failing.contains(test);
}

BreakageSearch::BreakageSearch(Run run, BreakageOptions options) : run_(std::move(run)), options_(std::move(options)) {
  ChangedRun& unchanged = known_[{}];
  unchanged.passes = true;
  unchanged.has_tests = true;
}

void BreakageSearch::run_missing(std::span<const ElementSet> sets) {
  std::vector<ElementSet> missing;
  for (const ElementSet& set : sets) {
    if (!known_.contains(set)) missing.push_back(set);
  }
  if (missing.empty()) return;
  const std::vector<ChangedRun> runs = run_(missing);
  for (std::size_t i = 0; i < missing.size(); ++i) known_[missing[i]] = runs[i];
}

const ChangedRun& BreakageSearch::run(const ElementSet& changes) {
  run_missing(std::span(&changes, 1));
  return known_.at(changes);
}

Oracle BreakageSearch::oracle_for(const std::string& test) {
  return [this, test](std::span<const ElementSet> sets) -> std::optional<std::size_t> {
    run_missing(sets);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (known_.at(sets[i]).fails(test)) return i;
    }
    return std::nullopt;
  };
}

bool BreakageSearch::confirm(const ElementSet& set, const std::string& test, Breakage& breakage) {
  constexpr std::size_t times = 3;
  std::set<std::string> tests = {test};
  for (std::size_t done = 0; done < times;) {
    const std::vector<ElementSet> same(std::min(options_.search.at_once, times - done), set);
    for (const ChangedRun& again : run_(same)) {
      if (again.is_stopped) return false;
      if (!again.fails(test)) {
        breakage.is_flaky = true;
        return false;
      }
      tests.insert(again.failing.begin(), again.failing.end());
    }
    done += same.size();
  }
  // If the command now also fails without changes, the confirmation means nothing.
  const ElementSet unchanged;
  const ChangedRun control = run_(std::span(&unchanged, 1)).front();
  if (control.is_stopped) return false;
  if (!control.passes) {
    breakage.is_flaky = true;
    return false;
  }
  breakage.sets.push_back({set, std::move(tests)});
  return true;
}

void BreakageSearch::find_for(const std::string& test, const ElementSet& changes, Breakage& breakage) {
  MinimalSetsOptions options;
  options.search = options_.search;
  for (const BreakingSet& known : breakage.sets) {
    if (known.tests.contains(test)) options.known.push_back(known.changes);
  }
  options.most = options.known.size() + (options_.most - std::min(options_.most, breakage.sets.size()));
  options.confirm = [&](const ElementSet& set) {
    const auto known = std::find_if(breakage.sets.begin(), breakage.sets.end(),
                                    [&](const BreakingSet& one) { return one.changes == set; });
    if (known == breakage.sets.end()) return confirm(set, test, breakage);
    known->tests.insert(test);
    return true;
  };
  breakage.is_complete &= minimal_sets(changes, oracle_for(test), options).is_complete;
}

Breakage BreakageSearch::find(const ElementSet& changes) {
  Breakage breakage;
  const ChangedRun whole = run(changes);
  if (whole.is_stopped) return breakage;
  breakage.is_complete = true;
  std::set<std::string> tests = whole.failing;
  if (tests.empty() && !whole.passes) tests.insert("");
  for (const std::string& test : tests) {
    if (breakage.is_flaky || (options_.search.goes_on && !options_.search.goes_on())) {
      breakage.is_complete = false;
      break;
    }
    find_for(test, changes, breakage);
  }
  return breakage;
}

}  // namespace tapedeck::tools
