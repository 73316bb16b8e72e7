#pragma once
// Finds the session IDs in a login's response.

#include <string>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

/// Looks at its body, which must not be compressed, and at the cookie `id`.
[[nodiscard]] std::vector<std::string> login_ids(const http::Response& answer);

}  // namespace tapedeck::api
