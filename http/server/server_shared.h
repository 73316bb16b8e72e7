#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "http/io/buffer_charge.h"
#include "http/io/limits.h"
#include "http/io/tls_context.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// The data that all connections of a listener share.
struct ServerShared {
  Limits limits;
  bool streams_bodies = false;
  Headers added;           ///< as in ListenerOptions
  HeadLimits head_limits;  ///< without a limit for the body if bodies are streamed
  std::function<void(std::string_view why)> on_refused;  ///< as in ListenerOptions
  Handler* handler = nullptr;
  std::unique_ptr<TlsContext> tls;
  std::atomic<bool> closing{false};
  std::atomic<std::size_t> open{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::size_t> longest_reply{0};  ///< size of the longest response so far in bytes
  /// Set before `closing`; called on the loop that closes the last connection.
  std::function<void()> on_all_closed;

  /// Returns true if the buffers have room for the next response, which may be as long as the longest one so far,
  /// without `own` bytes of its request. All connections share half of the buffers, so that a few bytes of one client
  /// do not block the others.
  [[nodiscard]] bool has_room(std::size_t own = 0) const {
    const std::size_t next = std::min(longest_reply.load(std::memory_order_relaxed), limits.buffer_bytes / 2);
    return BufferCharge::total() - own + next <= limits.buffer_bytes;
  }
};

}  // namespace tapedeck::http
