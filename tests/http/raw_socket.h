#pragma once
// Plain POSIX sockets for tests: a client and a server that send exactly the given bytes.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tapedeck::http::testing {

class RawSocket {
 public:
  explicit RawSocket(int fd) : fd_(fd) {}
  ~RawSocket() { close(); }
  RawSocket(RawSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RawSocket& operator=(RawSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  [[nodiscard]] static RawSocket connect(std::uint16_t port) {
    RawSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot connect");
    }
    return socket;
  }

  /// Sends as much as the other side accepts. Returns false if it has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_output() { ::shutdown(fd_, SHUT_WR); }

  /// Reads once. Returns false at the end, after a reset, and after `patience`.
  bool read_some(std::string& into, std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    pollfd waits{fd_, POLLIN, 0};
    timed_out_ = ::poll(&waits, 1, static_cast<int>(patience.count())) <= 0;
    if (timed_out_) return false;
    char buffer[65536];
    const ssize_t count = ::recv(fd_, buffer, sizeof buffer, 0);
    was_reset_ = count < 0;
    if (count <= 0) return false;
    into.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  /// Returns everything up to the end of the connection.
  [[nodiscard]] std::string read_all(std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    std::string all;
    while (read_some(all, patience)) continue;
    return all;
  }
  /// Returns everything up to and including `mark`. The rest is kept for the next call.
  [[nodiscard]] std::string read_until(std::string_view mark) {
    for (;;) {
      const std::size_t at = kept_.find(mark);
      if (at != std::string::npos) return take(at + mark.size());
      if (!read_some(kept_)) return take(kept_.size());
    }
  }
  [[nodiscard]] std::string read_bytes(std::size_t count) {
    while (kept_.size() < count && read_some(kept_)) continue;
    return take(std::min(count, kept_.size()));
  }
  /// Returns one message with a Content-Length or without a body.
  [[nodiscard]] std::string read_message() {
    std::string message = read_until("\r\n\r\n");
    const std::size_t at = message.find("Content-Length: ");
    if (at != std::string::npos) message += read_bytes(std::stoul(message.substr(at + 16)));
    return message;
  }

  /// Resets the connection but keeps the descriptor, which another thread may use.
  void send_reset() {
    const sockaddr nowhere{AF_UNSPEC, {}};
    ::connect(fd_, &nowhere, sizeof nowhere);
  }
  void reset() {
    const linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] bool timed_out() const { return timed_out_; }
  [[nodiscard]] bool was_reset() const { return was_reset_; }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  std::string take(std::size_t count) {
    std::string taken = kept_.substr(0, count);
    kept_.erase(0, count);
    return taken;
  }

  int fd_;
  std::string kept_;
  bool timed_out_ = false;
  bool was_reset_ = false;
};

/// A listening socket on a free loopback port.
class RawServer {
 public:
  /// `waiting` is the number of connections that may wait unaccepted, plus one. Further connection attempts get no
  /// response.
  explicit RawServer(int waiting = 64) : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(listening_.fd(), reinterpret_cast<sockaddr*>(&address), length);
    ::listen(listening_.fd(), waiting);
    ::getsockname(listening_.fd(), reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Returns the next connection, or one with descriptor -1 after stop().
  [[nodiscard]] RawSocket accept() { return RawSocket(::accept4(listening_.fd(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void stop() { ::shutdown(listening_.fd(), SHUT_RDWR); }

 private:
  RawSocket listening_;
  std::uint16_t port_ = 0;
};

}  // namespace tapedeck::http::testing
