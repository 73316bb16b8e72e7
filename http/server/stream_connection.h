#pragma once
// Sends and receives the bytes of a client connection over plain TCP or TLS. It is a state machine, because a waiting
// connection should cost only a socket and a few hundred bytes. It uses its socket through readiness and plain calls,
// or through the TLS stream. Deadlines are checked regularly (see sweep_period).

#include <memory>

#include "http/server/server_connection.h"

namespace tapedeck::http {

class ConnectionGroup;

struct OpenedConnection {
  std::shared_ptr<ServerConnection> connection;
  bool is_sound = true;  ///< false if the socket cannot be used; then only call close_now()
};

/// Takes over a connected socket, with TLS if the listener has it.
[[nodiscard]] OpenedConnection make_stream_connection(ConnectionGroup& group, int socket);

}  // namespace tapedeck::http
