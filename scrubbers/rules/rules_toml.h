#pragma once
// Users' own rules, from the table `scrub` of tapedeck.toml; docs/scrub-rules.md says how they are written.

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::base {
class TomlFile;
}

namespace tapedeck::scrubbers {

/// Adds and disables what the file's table `scrub` says. Throws std::invalid_argument with one line,
/// "tapedeck.toml:12: …", and `rules` is then half changed.
void apply_rules(const base::TomlFile& file, RuleSet& rules);

}  // namespace tapedeck::scrubbers
