#pragma once
// The shipped rules, as RuleSet::defaults() takes them.

#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

[[nodiscard]] std::vector<ScrubRule> default_rules();

}  // namespace tapedeck::scrubbers
