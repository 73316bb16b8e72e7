#pragma once
// The shipped rules, as RuleSet::defaults() takes them.

#include <string_view>
#include <vector>

#include "scrubbers/scrub_rule.h"

namespace tapedeck::scrubbers {

[[nodiscard]] std::vector<ScrubRule> default_rules();

/// A text without which a shipped pattern cannot match: looked for first, because that is ten times as fast. Empty when
/// there is none.
[[nodiscard]] std::string_view anchor_of(std::string_view id);

}  // namespace tapedeck::scrubbers
