#include "scrubbers/search/opening_marks.h"

#include <array>

#include "scrubbers/search/hyperscan_set.h"

namespace tapedeck::scrubbers {

bool may_open_something(std::string_view text) {
  constexpr std::size_t worth_a_look = 256;
  static constexpr std::array<std::string_view, 6> marks{"%", "+", "\\", "&", "=", "<"};
  if (text.size() < worth_a_look) return true;
  static const HyperscanSet set(marks);
  return set.has_any(text);
}

}  // namespace tapedeck::scrubbers
