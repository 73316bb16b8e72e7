#pragma once
// The shipped rules, as RuleSet::defaults() takes them.

#include <memory>
#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

[[nodiscard]] const std::shared_ptr<const std::vector<ScrubRule>>& default_rules();

}  // namespace tapedeck::scrubbers
