#pragma once

#include <cstddef>

namespace tapedeck::http {

/// Returns the number of bytes that were written to a TCP socket but not acknowledged, if the system tells. The
/// system's buffers hold megabytes for a slow reader, and no write completes until a good part is gone, so a smaller
/// number than before is progress.
[[nodiscard]] std::size_t untaken_bytes(int socket);

}  // namespace tapedeck::http
