#pragma once
// --private-key: a profile's key and what it gave, for several cassettes that must agree, and for replay by original
// values. Lines of text: "tapedeck private key 1", "key HEX", then a line for each original, percent-encoded.

#include <optional>
#include <string>

#include "scrubbers/private/private_profile.h"

namespace tapedeck::scrubbers {

/// Nothing where there is no such file. Throws std::runtime_error, naming the file, for a link and for what is no key
/// file: it is somebody's.
[[nodiscard]] std::optional<PrivateTable> read_private_key(const std::string& path);
/// By rename, mode 0600, over a key file or nothing. Throws std::runtime_error.
void write_private_key(const std::string& path, const PrivateTable& table);

}  // namespace tapedeck::scrubbers
