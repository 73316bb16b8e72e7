#pragma once

#include "http/message/url.h"

namespace tapedeck::http {

/// Returns the local address and port of a socket: what a listening one is bound to, or what a client has connected to.
[[nodiscard]] Endpoint local_endpoint(int socket);

}  // namespace tapedeck::http
