#pragma once
// One client connection over plain TCP or TLS: bytes in, whole requests to the handler, answers out, one after the
// other. A connection is a state machine and not a coroutine: most of its life it waits, and while it waits it should
// cost a socket and a few hundred bytes, not a frame and a buffer. It touches its socket only through readiness and
// plain calls, or through the TLS stream; deadlines are looked at by a sweep (see sweep_period). Asio stays in the
// .cpp.

#include <memory>

#include "http/server/server_connection.h"

namespace tapedeck::http {

class ConnectionGroup;

struct OpenedConnection {
  std::shared_ptr<ServerConnection> connection;
  bool is_sound = true;  ///< false: its socket cannot be used; close_now() alone
};

/// Takes over a connected socket: TLS where the group's listener has it.
[[nodiscard]] OpenedConnection make_stream_connection(ConnectionGroup& group, int socket);

}  // namespace tapedeck::http
