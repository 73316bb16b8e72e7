#pragma once
// Limits and deadlines of both sides; each is an option of the command line with these defaults.

#include <chrono>
#include <cstddef>

namespace tapedeck::http {

struct Limits {
  std::size_t head_bytes = 64 * 1024;         ///< request line and headers together: 431
  std::size_t header_lines = 100;             ///< 431
  std::size_t target_bytes = 32 * 1024;       ///< 414
  std::size_t body_bytes = 64u << 20;         ///< a request's body: 413
  std::size_t connections = 10'000;           ///< at once: 503
  std::size_t buffer_bytes = 256u << 20;      ///< all buffers of the process together
  std::size_t answer_head_bytes = 64 * 1024;  ///< a device's answer: more is a broken answer

  std::chrono::milliseconds head_time{5'000};    ///< from a request's first byte to the end of its head: 408
  std::chrono::milliseconds body_time{60'000};   ///< for a request's body: 408
  std::chrono::milliseconds write_time{60'000};  ///< for a client to take an answer that waits
  std::chrono::milliseconds idle_time{60'000};   ///< a keep-alive connection without a request: closed

  std::chrono::milliseconds connect_time{10'000};     ///< to the device, TLS handshake included: 504
  std::chrono::milliseconds first_byte_time{60'000};  ///< from the request's end to the answer's first byte: 504
  std::chrono::milliseconds stall_time{30'000};       ///< between two reads of an answer: broken
  std::chrono::milliseconds answer_time{600'000};     ///< for a whole answer: broken
};

}  // namespace tapedeck::http
