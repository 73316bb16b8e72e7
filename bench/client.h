#pragma once
// A blocking HTTP/1.1 client on one kept connection, to measure the latency of one client and the first response after
// a start, and to check bodies. Supports only Content-Length.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::bench {

struct Answer {
  int status = 0;
  std::string head;  ///< status line and headers
  std::string body;
  /// Returns the first value of a header; empty if it is missing.
  [[nodiscard]] std::string header(std::string_view name) const;
};

class Client {
 public:
  /// Tries to connect to 127.0.0.1 until the connection is accepted. Throws std::runtime_error after `patience`.
  explicit Client(std::uint16_t port, std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Throws std::runtime_error if the connection ends before the response.
  [[nodiscard]] Answer get(std::string_view target);
  /// Sends a whole request, head and body.
  [[nodiscard]] Answer ask(std::string_view request);
  /// Sends a request and waits for the first byte of the response. The connection cannot be used afterwards.
  void first_byte(std::string_view target);

 private:
  void send(std::string_view request);
  [[nodiscard]] std::string get_request(std::string_view target) const;
  std::size_t receive(char* into, std::size_t size);

  int socket_ = -1;
  std::uint16_t port_;
  std::string unread_;
};

}  // namespace tapedeck::bench
