#pragma once
// Cookies of a request.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// The first value under that name in the Cookie lines, as it stands there; empty without one.
[[nodiscard]] std::string_view cookie(const Headers& headers, std::string_view name);

}  // namespace tapedeck::http
