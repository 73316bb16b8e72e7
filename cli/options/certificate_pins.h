#pragma once
// Stores the certificates that a user accepted at a prompt in $XDG_STATE_HOME/tapedeck/pins, one line "HOST:PORT
// SHA256" for each. The file belongs to the user and not to a project, because a repository must not decide which
// device is trusted.

#include <optional>
#include <string>
#include <string_view>

#include "http/message/url.h"

namespace tapedeck::cli {

/// Returns the path of a file or folder in the user's state folder of Tapedeck.
[[nodiscard]] std::string state_path(std::string_view name);

/// Returns the fingerprint that the user accepted for that host and port. Ignores a file that other users can write.
[[nodiscard]] std::optional<std::string> accepted_pin(const http::BaseUrl& device);

/// Stores a fingerprint, replacing an earlier one. Returns nothing on success, and otherwise the reason why it could
/// not be stored.
[[nodiscard]] std::optional<std::string> keep_pin(const http::BaseUrl& device, const std::string& fingerprint);

}  // namespace tapedeck::cli
