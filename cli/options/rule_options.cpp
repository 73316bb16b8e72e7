#include "cli/options/rule_options.h"

#include <stdexcept>

#include "base/toml_file.h"
#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "replay/match_rules.h"
#include "scrubbers/private/private_key_file.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {
namespace {

std::optional<scrubbers::PrivateTable> table_of(const std::string& key_file) {
  try {
    return scrubbers::read_private_key(key_file);
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("--private-key: ") + error.what());
  }
}

}  // namespace

void add_rule_options(Command& command, RuleOptions& options) {
  command.option("--config", "FILE", into(options.config),
                 "Add or disable scrub rules as this configuration file says (TOML)");
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
    config.match_headers = std::move(replay.match_headers);
  }
  return config;
}

scrubbers::RuleSet rule_set(const RuleOptions& options) { return read_config(options).rules; }

void add_private_options(Command& command, PrivateCommandOptions& options) {
  command.flag("--private", options.wanted, "Also replace host names, user names, addresses, … with pseudonyms");
  command.option("--private-key", "FILE", into(options.key_file),
                 "Like --private, with the pseudonyms stored in this file for reuse");
}

void add_private_key_option(Command& command, PrivateCommandOptions& options) {
  command.option("--private-key", "FILE", into(options.key_file),
                 "Use the pseudonyms in this key file (from `record --private-key`)");
}

std::shared_ptr<scrubbers::PrivateProfile> writing_profile(const PrivateCommandOptions& options,
                                                           scrubbers::PrivateOptions config) {
  if (!options.wanted && options.key_file.empty()) return nullptr;
  if (!options.key_file.empty()) config.table = table_of(options.key_file);
  auto profile = std::make_shared<scrubbers::PrivateProfile>(std::move(config));
  keep_given(options, profile.get());  // fails before anything is recorded if the key file cannot be written
  return profile;
}

void keep_given(const PrivateCommandOptions& options, const scrubbers::PrivateProfile* profile) {
  if (profile != nullptr && !options.key_file.empty()) scrubbers::write_private_key(options.key_file, profile->table());
}

std::shared_ptr<scrubbers::PrivateProfile> reading_profile(const PrivateCommandOptions& options) {
  if (options.key_file.empty()) return nullptr;
  scrubbers::PrivateOptions known;
  known.table = table_of(options.key_file);
  if (!known.table) throw UsageError("--private-key: no such file: " + options.key_file);
  known.frozen = true;
  return std::make_shared<scrubbers::PrivateProfile>(std::move(known));
}

}  // namespace tapedeck::cli
