#pragma once
// Reads and writes the file of --private-key: a profile's key and its pseudonyms, for several cassettes that must
// agree, and for replay with original values. Its lines are "tapedeck private key 1", "key HEX", and one line for each
// original, percent-encoded.

#include <optional>
#include <string>

#include "scrubbers/private/private_profile.h"

namespace tapedeck::scrubbers {

/// Returns nothing if the file does not exist. Throws std::runtime_error for a link and for a file that is not a key
/// file.
[[nodiscard]] std::optional<PrivateTable> read_private_key(const std::string& path);
/// Writes by rename with mode 0600. Replaces only key files. Throws std::runtime_error.
void write_private_key(const std::string& path, const PrivateTable& table);

}  // namespace tapedeck::scrubbers
