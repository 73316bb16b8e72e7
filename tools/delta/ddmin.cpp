#include "tools/delta/ddmin.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_set>

namespace tapedeck::tools {
namespace {

/// Returns a hash by which tested sets are remembered, because sets can have many thousand elements.
std::uint64_t hash_of(const ElementSet& set) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::size_t element : set) {
    hash = (hash ^ element) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

class Search {
 public:
  Search(ElementSet start, const Oracle& oracle, const DeltaOptions& options)
      : current_(std::move(start)), oracle_(oracle), options_(options) {
    asked_.insert(hash_of(current_));
  }

  Minimized run() {
    std::size_t chunk = std::max<std::size_t>(1, (current_.size() + 1) / 2);
    while (!current_.empty()) {
      const bool has_shrunk = pass(chunk);
      if (is_ended_) return {std::move(current_), false};
      if (chunk > 1) {
        chunk = std::min((chunk + 1) / 2, std::max<std::size_t>(1, (current_.size() + 1) / 2));
      } else if (!has_shrunk) {
        break;
      }
    }
    return {std::move(current_), true};
  }

 private:
  /// Tries once to remove each chunk of this size. Returns true if one was removed.
  bool pass(std::size_t chunk) {
    bool has_shrunk = false;
    for (std::size_t at = 0; at < current_.size();) {
      std::vector<ElementSet> candidates;
      std::vector<std::size_t> begins;
      for (; at < current_.size() && candidates.size() < options_.at_once; at += chunk) {
        ElementSet candidate = without_chunk(at, chunk);
        if (!asked_.insert(hash_of(candidate)).second) continue;
        candidates.push_back(std::move(candidate));
        begins.push_back(at);
      }
      if (candidates.empty()) continue;
      if (must_end()) return has_shrunk;
      if (options_.progress) options_.progress(current_.size());
      const auto found = oracle_(candidates);
      if (!found && must_end()) return has_shrunk;
      if (!found) continue;
      // Later candidates of the batch still contain the removed chunk, so they are made again.
      at = begins[*found];
      current_ = std::move(candidates[*found]);
      has_shrunk = true;
    }
    return has_shrunk;
  }

  bool must_end() {
    is_ended_ = options_.goes_on && !options_.goes_on();
    return is_ended_;
  }

  [[nodiscard]] ElementSet without_chunk(std::size_t begin, std::size_t size) const {
    const std::size_t end = std::min(begin + size, current_.size());
    ElementSet rest(current_.begin(), current_.begin() + static_cast<std::ptrdiff_t>(begin));
    rest.insert(rest.end(), current_.begin() + static_cast<std::ptrdiff_t>(end), current_.end());
    return rest;
  }

  ElementSet current_;
  const Oracle& oracle_;
  const DeltaOptions& options_;
  std::unordered_set<std::uint64_t> asked_;
  bool is_ended_ = false;
};

}  // namespace

Oracle one_by_one(std::function<bool(const ElementSet& set)> shows) {
  return [shows = std::move(shows)](std::span<const ElementSet> sets) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (shows(sets[i])) return i;
    }
    return std::nullopt;
  };
}

Minimized ddmin(ElementSet start, const Oracle& oracle, const DeltaOptions& options) {
  return Search(std::move(start), oracle, options).run();
}

ElementSet all_elements(std::size_t count) {
  ElementSet all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

ElementSet without(const ElementSet& set, const ElementSet& gone) {
  ElementSet rest;
  std::set_difference(set.begin(), set.end(), gone.begin(), gone.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace tapedeck::tools
