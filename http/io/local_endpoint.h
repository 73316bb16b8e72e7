#pragma once

#include "http/message/url.h"

namespace tapedeck::http {

/// Address and port of a socket's own end: of a listening one what it is bound to, of a client's what the client has
/// reached.
[[nodiscard]] Endpoint local_endpoint(int socket);

}  // namespace tapedeck::http
