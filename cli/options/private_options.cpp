#include "cli/options/private_options.h"

#include <stdexcept>

#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "scrubbers/private/private_key_file.h"

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
