#pragma once
// Limits and deadlines of both sides; each is an option of the command line with these defaults.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "http/message/head_scanner.h"

namespace tapedeck::http {

/// A request's head and body (HeadLimits), and all that is not of one message.
struct Limits : HeadLimits {
  std::size_t connections = 10'000;       ///< at once: 503
  std::size_t buffer_bytes = 256u << 20;  ///< all buffers of the process together
  std::size_t max_body = 64u << 20;       ///< of a device's answer: a longer one is passed on and not kept

  std::chrono::milliseconds head_time{5'000};    ///< from a request's first byte to the end of its head: 408
  std::chrono::milliseconds body_time{60'000};   ///< between two pieces of a request's body: 408
  std::chrono::milliseconds write_time{60'000};  ///< for a client to take an answer that waits
  std::chrono::milliseconds idle_time{60'000};   ///< a keep-alive connection without a request: closed

  std::chrono::milliseconds connect_time{10'000};     ///< to the device, TLS handshake included: 504
  std::chrono::milliseconds first_byte_time{60'000};  ///< from the taken request to the answer's first byte: 504
  std::chrono::milliseconds stall_time{30'000};       ///< without progress of request or answer: broken
  std::chrono::milliseconds answer_time{600'000};     ///< between two events of a stream: broken
};

/// The longest body that a cassette can hold.
inline constexpr std::size_t longest_kept_body = 256u << 20;

/// Checks each limit's range and what they say of each other: nothing, or one line that names the option at fault.
[[nodiscard]] std::optional<std::string> fault_in(const Limits& limits);

}  // namespace tapedeck::http
