#include "tools/delta/minimal_sets.h"

#include <algorithm>
#include <deque>
#include <set>

namespace tapedeck::tools {
namespace {

bool is_disjoint(const ElementSet& a, const ElementSet& b) {
  ElementSet both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.empty();
}

ElementSet with(ElementSet set, std::size_t element) {
  const auto place = std::lower_bound(set.begin(), set.end(), element);
  if (place == set.end() || *place != element) set.insert(place, element);
  return set;
}

class Tree {
 public:
  Tree(const ElementSet& all, const Oracle& oracle, const MinimalSetsOptions& options)
      : all_(all), oracle_(oracle), options_(options) {
    found_.sets = options.known;
  }

  MinimalSets run() {
    add_branch({});
    while (!branches_.empty()) {
      const ElementSet gone = std::move(branches_.front());
      branches_.pop_front();
      if (is_below_closed(gone)) continue;
      const ElementSet* const known = known_without(gone);
      if (known == nullptr && !find_without(gone)) {
        if (is_ended_) return std::move(found_);
        closed_.push_back(gone);
        continue;
      }
      const ElementSet set = known != nullptr ? *known : found_.sets.back();
      for (const std::size_t element : set) add_branch(with(gone, element));
    }
    found_.is_complete = true;
    return std::move(found_);
  }

 private:
  void add_branch(ElementSet gone) {
    if (seen_.insert(gone).second) branches_.push_back(std::move(gone));
  }
  /// Returns true if a set that leaves out fewer elements did not reproduce it, because then this one does not either.
  [[nodiscard]] bool is_below_closed(const ElementSet& gone) const {
    return std::any_of(closed_.begin(), closed_.end(), [&](const ElementSet& closed) {
      return std::includes(gone.begin(), gone.end(), closed.begin(), closed.end());
    });
  }
  [[nodiscard]] const ElementSet* known_without(const ElementSet& gone) const {
    const auto found = std::find_if(found_.sets.begin(), found_.sets.end(),
                                    [&](const ElementSet& set) { return is_disjoint(set, gone); });
    return found == found_.sets.end() ? nullptr : &*found;
  }

  bool find_without(const ElementSet& gone) {
    const ElementSet left = without(all_, gone);
    if (!gone.empty() && !shows(left)) return false;  // or the search was ended
    if (found_.sets.size() >= options_.most) return end();
    Minimized minimized = ddmin(left, oracle_, options_.search);
    if (!minimized.is_minimal) return end();
    found_.sets.push_back(std::move(minimized.set));
    if (options_.confirm && !options_.confirm(found_.sets.back())) return end();
    return true;
  }
  bool shows(const ElementSet& set) {
    const auto must_end = [&] { return options_.search.goes_on && !options_.search.goes_on(); };
    if (must_end()) return end();
    if (options_.search.progress) options_.search.progress(set.size());
    if (oracle_(std::span(&set, 1))) return true;
    return must_end() && end();
  }
  bool end() {
    is_ended_ = true;
    return false;
  }

  const ElementSet& all_;
  const Oracle& oracle_;
  const MinimalSetsOptions& options_;
  std::deque<ElementSet> branches_;  ///< sets of elements to leave out
  std::set<ElementSet> seen_;
  std::vector<ElementSet> closed_;
  MinimalSets found_;
  bool is_ended_ = false;
};

}  // namespace

MinimalSets minimal_sets(const ElementSet& all, const Oracle& oracle, const MinimalSetsOptions& options) {
  return Tree(all, oracle, options).run();
}

}  // namespace tapedeck::tools
