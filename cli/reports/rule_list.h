#pragma once
// Lists the scrub rules in force, for `tapedeck scrub --rules`.

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {

/// Prints the rules and the exceptions to them, as tables or as JSON.
void print_rules(const scrubbers::RuleSet& rules, bool json);

}  // namespace tapedeck::cli
