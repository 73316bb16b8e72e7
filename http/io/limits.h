#pragma once
// Limits and deadlines of both sides, with their defaults. A few are command-line options.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "http/message/head_scanner.h"

namespace tapedeck::http {

/// The limits of a request (HeadLimits), and all others.
struct Limits : HeadLimits {
  std::size_t connections = 10'000;       ///< simultaneous connections; more get 503
  std::size_t buffer_bytes = 256u << 20;  ///< limit for all buffers of the process
  std::size_t max_body = 64u << 20;       ///< limit for a device's response; a longer one is passed on and withheld

  /// Limit for a message of a WebSocket; a longer one is passed on, and the connection is not recorded further.
  std::size_t max_message = 16u << 20;

  std::chrono::milliseconds head_time{5'000};    ///< from a request's first byte to the end of its head; then 408
  std::chrono::milliseconds body_time{60'000};   ///< between two pieces of a request's body; then 408
  std::chrono::milliseconds write_time{60'000};  ///< for a client to receive a waiting response
  std::chrono::milliseconds idle_time{60'000};   ///< for an idle keep-alive connection, which is then closed

  std::chrono::milliseconds connect_time{10'000};  ///< to connect to the device, with TLS handshake; then 504
  /// From the sent request to the first byte of the response; then 504.
  std::chrono::milliseconds first_byte_time{60'000};
  std::chrono::milliseconds stall_time{30'000};    ///< without progress of request or response; then broken
  std::chrono::milliseconds answer_time{600'000};  ///< between two events of a stream; then broken
};

/// The longest body that a cassette can contain.
inline constexpr std::size_t longest_kept_body = 256u << 20;

/// Checks the limits that are options, and their relations. Returns nothing, or one line that names the option.
[[nodiscard]] std::optional<std::string> fault_in(const Limits& limits);

}  // namespace tapedeck::http
