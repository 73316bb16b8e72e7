#pragma once
// A client connection over plain TCP or TLS: bytes in, complete requests to the handler, responses out, one after the
// other. It is a state machine, because a waiting connection should only cost a socket and a few hundred bytes. It uses
// its socket through readiness and plain calls, or through the TLS stream; deadlines are checked regularly (see
// sweep_period).

#include <memory>

#include "http/server/server_connection.h"

namespace tapedeck::http {

class ConnectionGroup;

struct OpenedConnection {
  std::shared_ptr<ServerConnection> connection;
  bool is_sound = true;  ///< false: the socket cannot be used; only call close_now()
};

/// Takes over a connected socket, with TLS if the listener has it.
[[nodiscard]] OpenedConnection make_stream_connection(ConnectionGroup& group, int socket);

}  // namespace tapedeck::http
