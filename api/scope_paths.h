#pragma once
// Handles requests and responses under "/~scope/NAME/" (docs/testing.md, "Scopes").

#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// Removes the scope's header and leading segment from a request, and the segment from a Referer that begins with
/// `own_origin`. Returns the segment as sent; empty without one.
std::string take_scope_out(http::Request& request, std::string_view own_origin);

/// Returns a 400 response for a request whose scope is not valid.
[[nodiscard]] http::Response bad_scope_answer();

/// Inserts `segment` ("/~scope/NAME", as sent) before the path in Location and Refresh, if they lead to `host` (the
/// client's Host), and before the paths of cookies. Cookies named `__Host-…` keep "/".
void keep_under(std::string_view segment, std::string_view host, http::Headers& answer);

}  // namespace tapedeck::api
