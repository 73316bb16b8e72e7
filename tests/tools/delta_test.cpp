// Tests delta debugging on generated problems.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "tools/delta/ddmin.h"
#include "tools/delta/minimal_sets.h"

namespace tapedeck::tools {
namespace {

bool has_all(const ElementSet& set, const ElementSet& part) {
  return std::includes(set.begin(), set.end(), part.begin(), part.end());
}

/// Returns `size` different indexes below `count`.
ElementSet some_of(std::size_t count, std::size_t size, std::mt19937& random) {
  std::set<std::size_t> chosen;
  while (chosen.size() < size) chosen.insert(random() % count);
  return {chosen.begin(), chosen.end()};
}

/// Returns true if each element is needed according to `shows`.
bool is_minimal(const ElementSet& set, const std::function<bool(const ElementSet&)>& shows) {
  return std::none_of(set.begin(), set.end(), [&](std::size_t element) { return shows(without(set, {element})); });
}

}  // namespace

TEST_CASE("ddmin: finds one element in fewer than 2 log2(n) + 2 tests") {
  for (const std::size_t count : {1u, 2u, 3u, 7u, 64u, 200u, 1000u}) {
    for (std::size_t needed = 0; needed < count; ++needed) {
      std::size_t questions = 0;
      const auto shows = [&](const ElementSet& set) {
        if (!set.empty()) ++questions;
        return has_all(set, {needed});
      };
      const Minimized found = ddmin(all_elements(count), one_by_one(shows));
      CHECK(found.set == ElementSet{needed});
      CHECK(found.is_minimal);
      CHECK(static_cast<double>(questions) < 2 * std::log2(static_cast<double>(count)) + 2);
    }
  }
}

TEST_CASE("ddmin: finds elements that are only needed together, with any number of parallel tests") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 300;
    const ElementSet needed = some_of(count, random() % (std::min<std::size_t>(count, 8) + 1), random);
    DeltaOptions options;
    options.at_once = 1 + random() % 4;
    const Minimized found =
        ddmin(all_elements(count), one_by_one([&](const ElementSet& set) { return has_all(set, needed); }), options);
    CHECK(found.set == needed);
    CHECK(found.is_minimal);
  }
}

TEST_CASE("ddmin: the result is 1-minimal even if more elements hide the failure") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 2 + random() % 60;
    const ElementSet needed = some_of(count, 1 + random() % 2, random);
    const std::size_t hider = random() % count, helper = random() % count;
    const ElementSet all = all_elements(count);
    // The failure does not occur with the hider unless the helper is also present. It always occurs with the whole
    // list.
    const auto shows = [&](const ElementSet& set) {
      if (set == all) return true;
      return has_all(set, needed) && (!has_all(set, {hider}) || has_all(set, {helper}));
    };
    const Minimized found = ddmin(all, one_by_one(shows));
    CHECK(found.is_minimal);
    CHECK(shows(found.set));
    CHECK(is_minimal(found.set, shows));
  }
}

TEST_CASE("ddmin: ends with a confirmed set for an unreliable oracle") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    std::set<ElementSet> said_yes = {all_elements(50)};
    std::size_t questions = 0;
    const auto shows = [&](const ElementSet& set) {
      ++questions;
      const bool yes = random() % 3 == 0;
      if (yes) said_yes.insert(set);
      return yes;
    };
    const Minimized found = ddmin(all_elements(50), one_by_one(shows));
    CHECK(said_yes.contains(found.set));
    CHECK(questions < 5'000);
  }
}

TEST_CASE("ddmin: returns the best set so far when it is stopped") {
  for (int budget = 0; budget < 12; ++budget) {
    int questions = 0;
    DeltaOptions options;
    options.goes_on = [&] { return questions < budget; };
    const auto shows = [&](const ElementSet& set) {
      ++questions;
      return has_all(set, {777});
    };
    const Minimized found = ddmin(all_elements(1000), one_by_one(shows), options);
    CHECK(questions == budget);
    CHECK(has_all(found.set, {777}));
    CHECK_FALSE(found.is_minimal);
    CHECK((budget == 0) == (found.set.size() == 1000));
  }
}

TEST_CASE("minimal sets: finds every set, also sets that share an element") {
  struct Case {
    std::vector<ElementSet> sets;
  };
  const std::vector<Case> cases = {{{{3}}},
                                   {{{3}, {150}, {7}}},
                                   {{{3, 9}}},
                                   {{{3, 9}, {3, 4}}},
                                   {{{1, 2}, {2, 3}, {1, 3}}},
                                   {{{5}, {8, 9}, {8, 10, 11}}}};
  for (const Case& one : cases) {
    const auto shows = [&](const ElementSet& set) {
      return std::any_of(one.sets.begin(), one.sets.end(), [&](const ElementSet& part) { return has_all(set, part); });
    };
    MinimalSetsOptions options;
    const MinimalSets found = minimal_sets(all_elements(200), one_by_one(shows), options);
    CHECK(found.is_complete);
    CHECK(std::set<ElementSet>(found.sets.begin(), found.sets.end()) ==
          std::set<ElementSet>(one.sets.begin(), one.sets.end()));
    options.known = {one.sets.front()};
    CHECK(minimal_sets(all_elements(200), one_by_one(shows), options).sets.size() == one.sets.size());
    options.known.clear();
    options.most = 1;
    const MinimalSets first = minimal_sets(all_elements(200), one_by_one(shows), options);
    CHECK(first.sets.size() == 1);
    CHECK(first.is_complete == (one.sets.size() == 1));
    options.most = 10;
    options.confirm = [](const ElementSet&) { return false; };
    CHECK_FALSE(minimal_sets(all_elements(200), one_by_one(shows), options).is_complete);
  }
}

}  // namespace tapedeck::tools
