#pragma once
// Finds the session IDs in a login's response.

#include <string>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

/// Reads the body, which must not be compressed, and the cookie `id`.
[[nodiscard]] std::vector<std::string> login_ids(const http::Response& answer);

}  // namespace tapedeck::api
