#pragma once
// The scrub rules as the command line and tapedeck.toml choose them.

#include <string>
#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace CLI {
class App;
}

namespace tapedeck::cli {

struct RuleOptions {
  std::string config;
  std::vector<std::string> disabled;
};

void add_rule_options(CLI::App& command, RuleOptions& options);
/// The shipped rules, with what the configuration adds and disables, and then --disable. Throws UsageError.
[[nodiscard]] scrubbers::RuleSet rule_set(const RuleOptions& options);

}  // namespace tapedeck::cli
