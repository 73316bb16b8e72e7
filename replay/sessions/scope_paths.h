#pragma once
// Answers under "/~NAME/": where they send the client, and where its cookies count (toolkit §1).

#include <string_view>

#include "http/message/message.h"
#include "replay/reply.h"

namespace tapedeck::replay {

/// Puts `segment` ("/~NAME", as it was sent) in front of the path in Location and Refresh, where they lead to this
/// server, and in front of the paths of cookies; those of `__Host-` cookies stay "/".
void keep_under(std::string_view segment, const http::Request& request, Reply& reply);

}  // namespace tapedeck::replay
