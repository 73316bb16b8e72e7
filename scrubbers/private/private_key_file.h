#pragma once
// --private-key: the key of a profile and its pseudonyms, for several cassettes that must agree, and for replay with
// original values. Lines of text: "tapedeck private key 1", "key HEX", then one line for each original,
// percent-encoded.

#include <optional>
#include <string>

#include "scrubbers/private/private_profile.h"

namespace tapedeck::scrubbers {

/// Returns nothing if the file does not exist. Throws std::runtime_error for a link and for a file that is not a key
/// file.
[[nodiscard]] std::optional<PrivateTable> read_private_key(const std::string& path);
/// Writes by rename with mode 0600. Only replaces a key file. Throws std::runtime_error.
void write_private_key(const std::string& path, const PrivateTable& table);

}  // namespace tapedeck::scrubbers
