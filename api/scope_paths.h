#pragma once
// Requests and answers under "/~scope/NAME/" (toolkit §1, "where it comes from", "under /~scope/NAME/").

#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// Takes the scope's header and leading segment out of a request, and the segment out of a Referer that begins with
/// `own_origin`. Gives the segment as it was sent; empty without one.
std::string take_scope_out(http::Request& request, std::string_view own_origin);

/// 400, for a request whose scope cannot be read.
[[nodiscard]] http::Response bad_scope_answer();

/// Puts `segment` ("/~scope/NAME", as it was sent) in front of the path in Location and Refresh, where they lead to `host`
/// (what the client sent as Host), and in front of the paths of cookies; those of `__Host-` cookies stay "/".
void keep_under(std::string_view segment, std::string_view host, http::Headers& answer);

}  // namespace tapedeck::api
