#pragma once
// Reads the scrub rules that the command line and tapedeck.toml select.

#include <memory>
#include <string>
#include <vector>

#include "replay/chain/replay_options.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {

class Command;

struct RuleOptions {
  std::string config;
};

void add_rule_options(Command& command, RuleOptions& options);
/// The contents of a tapedeck.toml. Every command reads all parts of it, so that a misspelling anywhere is an error in
/// each.
struct Config {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  std::vector<replay::MatchRule> match_rules;
  std::vector<std::string> match_headers;
  scrubbers::PrivateOptions private_values;  ///< the lists `keep` and `replace`
};
/// Reads the configuration. Its rules are the built-in ones, changed by the file. An empty
/// path reads no file. Throws std::invalid_argument.
[[nodiscard]] Config read_config(const RuleOptions& options);
[[nodiscard]] scrubbers::RuleSet rule_set(const RuleOptions& options);

/// The options of the private profile (docs/secrets.md, "Private data").
struct PrivateCommandOptions {
  bool wanted = false;   ///< value of --private
  std::string key_file;  ///< value of --private-key
};

/// Adds --private and --private-key, for commands that write cassettes.
void add_private_options(Command& command, PrivateCommandOptions& options);
/// Adds only --private-key, for commands that read cassettes.
void add_private_key_option(Command& command, PrivateCommandOptions& options);

/// Returns the profile for writing, or null if neither option is given. Creates the key file if it does not exist.
/// Throws UsageError.
[[nodiscard]] std::shared_ptr<scrubbers::PrivateProfile> writing_profile(const PrivateCommandOptions& options,
                                                                         scrubbers::PrivateOptions config);
/// Stores new pseudonyms of `profile` in the key file, if there is one. Throws std::runtime_error.
void keep_given(const PrivateCommandOptions& options, const scrubbers::PrivateProfile* profile);
/// Returns the profile for reading, which replaces only values that the key file already has. Returns null without a
/// key file. Throws UsageError.
[[nodiscard]] std::shared_ptr<scrubbers::PrivateProfile> reading_profile(const PrivateCommandOptions& options);

}  // namespace tapedeck::cli
