#pragma once

#include <cstdint>

namespace tapedeck::cassettes {

/// The place of a message of a WebSocket. Its rows have the number of the connection, and are joined into one
/// interaction when they are read (api/transcript.h).
struct SocketPlace {
  std::uint32_t socket = 0;   ///< the connection, from 1; 0: no WebSocket
  std::uint32_t message = 0;  ///< from 1; 0: the request and response that opened it
};

}  // namespace tapedeck::cassettes
