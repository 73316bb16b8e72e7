#include "cli/options/rule_options.h"

#include "base/toml_file.h"
#include "cli/arguments/values.h"
#include "replay/match_rules.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {

void add_rule_options(Command& command, RuleOptions& options) {
  command.option("--config", "FILE", into(options.config),
                 "Read additional scrub rules from this configuration file (TOML)");
  add_disable_option(command, options);
}

void add_disable_option(Command& command, RuleOptions& options) {
  command.option("--disable", "RULE", into(options.disabled), "Disable a scrub rule; `tapedeck rules` lists them");
}

Config read_config(const RuleOptions& options) {
  Config config;
  if (!options.config.empty()) {
    const base::TomlFile file = base::TomlFile::read(options.config);
    scrubbers::apply_rules(file, config.rules);
    scrubbers::apply_private(file, config.private_values);
    replay::ReplayOptions replay;
    replay::apply_match_rules(file, replay);
    config.match_rules = std::move(replay.match_rules);
  }
  for (const std::string& id : options.disabled) config.rules.disable(id);
  return config;
}

scrubbers::RuleSet rule_set(const RuleOptions& options) { return read_config(options).rules; }

}  // namespace tapedeck::cli
