#include "scan/learned_values.h"

#include <algorithm>

namespace tapedeck::scan {

void LearnedValues::add(std::string_view value) { add(value, Search::anywhere); }

void LearnedValues::add(std::string_view value, Search search) {
  if (value.empty()) return;
  if (value.size() < (search == Search::word ? min_word : min_anywhere)) search = Search::named;
  if (const auto known = known_.find(value); known != known_.end()) {
    Entry& entry = entries_[known->second];
    entry.search = std::max(entry.search, search);
    return;
  }
  const std::string_view kept = arena_.keep(value);
  known_.emplace(kept, entries_.size());
  entries_.push_back({kept, search});
}

}  // namespace tapedeck::scan
