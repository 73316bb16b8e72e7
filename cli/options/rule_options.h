#pragma once
// The scrub rules as the command line and tapedeck.toml choose them.

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
/// --disable alone.
void add_disable_option(Command& command, RuleOptions& options);
/// Every part of a tapedeck.toml is read, whichever of them the command is for: what is misspelt in one is an error in
/// all commands.
struct Config {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  std::vector<replay::MatchRule> match_rules;
  scrubbers::PrivateOptions private_values;  ///< `keep` and `replace`
};
/// Its rules are the shipped ones, with what the file adds and disables, and then --disable. An empty path reads
/// nothing. Throws UsageError.
[[nodiscard]] Config read_config(const RuleOptions& options);
[[nodiscard]] scrubbers::RuleSet rule_set(const RuleOptions& options);

}  // namespace tapedeck::cli
