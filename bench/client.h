#pragma once
// A blocking HTTP/1.1 client on one kept connection: for one client's latency, for the first answer after a start, and
// for the check that both sides send the same bodies. Understands Content-Length alone.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::bench {

struct Answer {
  int status = 0;
  std::string head;  ///< status line and header lines
  std::string body;
  /// The header's first value; empty when it is not there.
  [[nodiscard]] std::string header(std::string_view name) const;
};

class Client {
 public:
  /// Tries to connect to 127.0.0.1 until somebody accepts; throws std::runtime_error after `patience`.
  explicit Client(std::uint16_t port, std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Throws std::runtime_error when the connection ends before the answer does.
  [[nodiscard]] Answer get(std::string_view target);
  /// The same with a whole request, head and body.
  [[nodiscard]] Answer ask(std::string_view request);
  /// Sends and waits for the answer's first byte, no more; the connection is of no use afterwards.
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
