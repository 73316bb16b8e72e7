#include "cli/rule_options.h"

#include <stdexcept>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "scrubbers/rules/rules_toml.h"

namespace tapedeck::cli {

void add_rule_options(CLI::App& command, RuleOptions& options) {
  command.add_option("--config", options.config, "Read this tapedeck.toml; none is read by itself")->type_name("FILE");
  command.add_option("--disable", options.disabled, "Switch a scrub rule off; `tapedeck rules` lists them")
      ->type_name("RULE")
      ->allow_extra_args(false);
}

scrubbers::RuleSet rule_set(const RuleOptions& options) {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  try {
    if (!options.config.empty()) scrubbers::apply_rules_file(options.config, rules);
    for (const std::string& id : options.disabled) rules.disable(id);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  return rules;
}

}  // namespace tapedeck::cli
