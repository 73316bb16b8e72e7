#pragma once
// The private profile (docs/secrets.md, "Private data") as commands take it.

#include <memory>
#include <string>

#include "scrubbers/private/private_profile.h"

namespace tapedeck::cli {

class Command;

struct PrivateCommandOptions {
  bool wanted = false;   ///< --private
  std::string key_file;  ///< --private-key
};

/// --private and --private-key, for commands that write cassettes.
void add_private_options(Command& command, PrivateCommandOptions& options);
/// --private-key alone, for those that read them.
void add_private_key_option(Command& command, PrivateCommandOptions& options);

/// For writing: null when neither option is given. The key file is made, or goes on. Throws UsageError.
[[nodiscard]] std::shared_ptr<scrubbers::PrivateProfile> writing_profile(const PrivateCommandOptions& options,
                                                                         scrubbers::PrivateOptions config);
/// Keeps what it gave in the key file, if there is one. Throws std::runtime_error.
void keep_given(const PrivateCommandOptions& options, const scrubbers::PrivateProfile* profile);
/// For reading: only what the key file has is exchanged. Null without one. Throws UsageError.
[[nodiscard]] std::shared_ptr<scrubbers::PrivateProfile> reading_profile(const PrivateCommandOptions& options);

}  // namespace tapedeck::cli
