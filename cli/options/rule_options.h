#pragma once
// Reads the scrub rules that the command line and tapedeck.toml select.

#include <string>
#include <vector>

#include "replay/chain/replay_options.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {

class Command;

struct RuleOptions {
  std::string config;
  std::vector<std::string> disabled;
};

void add_rule_options(Command& command, RuleOptions& options);
/// Adds only --disable.
void add_disable_option(Command& command, RuleOptions& options);
/// The contents of a tapedeck.toml. Every command reads all parts of it, so that a misspelling anywhere is an error in
/// each.
struct Config {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  std::vector<replay::MatchRule> match_rules;
  scrubbers::PrivateOptions private_values;  ///< the lists `keep` and `replace`
};
/// Reads the configuration. Its rules are the built-in ones, changed first by the file and then by --disable. An empty
/// path reads no file. Throws std::invalid_argument.
[[nodiscard]] Config read_config(const RuleOptions& options);
[[nodiscard]] scrubbers::RuleSet rule_set(const RuleOptions& options);

}  // namespace tapedeck::cli
