#pragma once
// Users' own rules, from the table `scrub` of tapedeck.toml; docs/scrubbing.md says how they are written.

#include <string>
#include <string_view>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// Adds and disables what `text` says; other tables of the file are left alone. `file` is for messages. Throws
/// std::invalid_argument with one line, "tapedeck.toml:12: …", and `rules` is then half changed.
void apply_rules_toml(std::string_view text, std::string_view file, RuleSet& rules);
/// Reads the file first. Throws std::invalid_argument when it cannot be read, too.
void apply_rules_file(const std::string& path, RuleSet& rules);

}  // namespace tapedeck::scrubbers
