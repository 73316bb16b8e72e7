#pragma once

#include <cstddef>

namespace tapedeck::http {

/// Bytes that were written to a TCP socket and that the other side has not acknowledged, as far as the system tells: of
/// a slow reader the system's own buffers hold megabytes, and no write completes until a good part has gone. Less of
/// it than before is progress.
[[nodiscard]] std::size_t untaken_bytes(int socket);

}  // namespace tapedeck::http
