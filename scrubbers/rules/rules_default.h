#pragma once
// Lists the shipped rules for RuleSet::defaults().

#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

[[nodiscard]] std::vector<ScrubRule> default_rules();

}  // namespace tapedeck::scrubbers
