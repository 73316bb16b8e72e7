#pragma once
// Reads custom rules from the table `scrub` of tapedeck.toml (docs/secrets.md, "Custom rules").

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::base {
class TomlFile;
}

namespace tapedeck::scrubbers {

/// Adds and disables rules. Throws std::invalid_argument with one line, "tapedeck.toml:12: …"; `rules` is then partly
/// changed.
void apply_rules(const base::TomlFile& file, RuleSet& rules);

}  // namespace tapedeck::scrubbers
