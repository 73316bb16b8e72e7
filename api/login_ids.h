#pragma once
// The session ids that a login's answer gives.

#include <string>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

/// In its body, which is not packed, and as the cookie `id`.
[[nodiscard]] std::vector<std::string> login_ids(const http::Response& answer);

}  // namespace tapedeck::api
