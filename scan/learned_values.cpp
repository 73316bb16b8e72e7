#include "scan/learned_values.h"

namespace tapedeck::scan {

void LearnedValues::add(std::string_view value) { add(value, Search::anywhere); }

void LearnedValues::add(std::string_view value, Search search) {
  if (value.empty() || known_.contains(value)) return;
  if (value.size() < (search == Search::word ? min_word : min_anywhere)) search = Search::named;
  const std::string_view kept = arena_.keep(value);
  known_.insert(kept);
  entries_.push_back({kept, search});
}

}  // namespace tapedeck::scan
