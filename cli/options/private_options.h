#pragma once
// Defines the options of the private profile (docs/secrets.md, "Private data").

#include <memory>
#include <string>

#include "scrubbers/private/private_profile.h"

namespace tapedeck::cli {

class Command;

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
