#pragma once
// Recognizes requests that a browser makes without being asked to by a page.

#include "http/message/message.h"

namespace tapedeck::http {

/// Returns true for a GET or HEAD of a file that browsers and their developer tools look for by themselves: icons,
/// /robots.txt, /.well-known/…, and source maps. A path below a "webapi" folder is never one, because it belongs to the
/// API.
[[nodiscard]] bool is_browsers_own(const Request& request);

/// Returns true if the path, without its query, is below a folder named "webapi".
[[nodiscard]] bool is_below_webapi(std::string_view path);

}  // namespace tapedeck::http
