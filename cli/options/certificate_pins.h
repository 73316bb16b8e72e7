#pragma once
// Certificates that a user accepted at a prompt: $XDG_STATE_HOME/tapedeck/pins, a line "HOST:PORT SHA256" for each. The
// file is the user's and not a project's, because a repository must not decide which device is trusted.

#include <optional>
#include <string>
#include <string_view>

#include "http/message/url.h"

namespace tapedeck::cli {

/// Returns the path of a file or folder among Tapedeck's state of this user.
[[nodiscard]] std::string state_path(std::string_view name);

/// Returns the fingerprint that was accepted for that host and port. A file that others could have written is not read.
[[nodiscard]] std::optional<std::string> accepted_pin(const http::BaseUrl& device);

/// Keeps a fingerprint in the place of an earlier one. Returns why it could not be kept; nothing: it is.
[[nodiscard]] std::optional<std::string> keep_pin(const http::BaseUrl& device, const std::string& fingerprint);

}  // namespace tapedeck::cli
