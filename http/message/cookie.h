#pragma once
// Reads the cookies of a request.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// Returns the first value with this name in the Cookie headers, unchanged. Empty if there is none.
[[nodiscard]] std::string_view cookie(const Headers& headers, std::string_view name);

}  // namespace tapedeck::http
