#pragma once
// The shipped rules, as RuleSet::defaults() takes them.

#include <span>
#include <string_view>
#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

[[nodiscard]] std::vector<ScrubRule> default_rules();

/// A text without which a shipped pattern cannot match: looked for first, because that is ten times as fast.
struct Anchor {
  std::string_view id;  ///< the rule's
  std::string_view text;
  std::size_t before = 0;  ///< how far ahead of the text a match can begin; 0: it begins with it
};
/// A shipped pattern has one or several; a user's has none and is tried everywhere.
[[nodiscard]] std::span<const Anchor> shipped_anchors();

}  // namespace tapedeck::scrubbers
