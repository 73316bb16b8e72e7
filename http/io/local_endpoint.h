#pragma once

#include "http/message/url.h"

namespace tapedeck::http {

/// Returns the local address and port of a socket: the bound address of a listening socket, or the address to which a
/// client has connected.
[[nodiscard]] Endpoint local_endpoint(int socket);

}  // namespace tapedeck::http
