#include "scrubbers/search/opening_marks.h"

#include <vector>

#include "scrubbers/search/hyperscan_set.h"

namespace tapedeck::scrubbers {

bool may_open_something(std::string_view text) {
  constexpr std::size_t worth_a_look = 256;
  if (text.size() < worth_a_look) return true;
  static const HyperscanSet set = [] {
    std::vector<std::string_view> marks;
    for (std::size_t i = 0; i < opening_marks.size(); ++i) marks.push_back(opening_marks.substr(i, 1));
    // What the names of passwords end in.
    for (const std::string_view line : {"d: ", "s: ", "e: ", "t: ", "w: ", "D: ", "S: ", "E: ", "T: ", "W: "}) {
      marks.push_back(line);
    }
    return HyperscanSet(marks);
  }();
  return set.has_any(text);
}

}  // namespace tapedeck::scrubbers
