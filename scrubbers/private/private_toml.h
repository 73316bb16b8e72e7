#pragma once
// Reads the table [private] of a tapedeck.toml.

#include "base/toml_file.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::scrubbers {

/// Adds the file's `keep` and `replace`. Throws std::invalid_argument with file and line.
void apply_private(const base::TomlFile& file, PrivateOptions& options);

}  // namespace tapedeck::scrubbers
