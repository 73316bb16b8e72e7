#include "bench/client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "http/message/message.h"

namespace tapedeck::bench {

Client::Client(std::uint16_t port, std::chrono::milliseconds patience) : port_(port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) break;
    close(socket_);
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error(fmt::format("nobody accepts on {}", port));
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Client::~Client() { close(socket_); }

std::string Client::get_request(std::string_view target) const {
  return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", target, port_);
}

void Client::send(std::string_view request) {
  if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    throw std::runtime_error("the request was not taken");
}

std::size_t Client::receive(char* into, std::size_t size) {
  const ssize_t got = recv(socket_, into, size, 0);
  if (got <= 0) throw std::runtime_error("the connection ended before the answer did");
  return static_cast<std::size_t>(got);
}

void Client::first_byte(std::string_view target) {
  send(get_request(target));
  char byte = 0;
  receive(&byte, 1);
}

Answer Client::get(std::string_view target) { return ask(get_request(target)); }

Answer Client::ask(std::string_view request) {
  send(request);
  char buffer[64 * 1024];
  std::size_t head_end = 0;
  while ((head_end = unread_.find("\r\n\r\n")) == std::string::npos)
    unread_.append(buffer, receive(buffer, sizeof buffer));
  Answer answer;
  answer.head = unread_.substr(0, head_end + 2);
  answer.status = std::stoi(answer.head.substr(9, 3));
  const std::string length = answer.header("Content-Length");
  if (length.empty()) throw std::runtime_error("an answer without Content-Length");
  const std::size_t size = std::stoull(length);
  while (unread_.size() < head_end + 4 + size) unread_.append(buffer, receive(buffer, sizeof buffer));
  answer.body = unread_.substr(head_end + 4, size);
  unread_.erase(0, head_end + 4 + size);
  return answer;
}

std::string Answer::header(std::string_view name) const {
  const http::Headers headers = http::Headers::from_text(head.substr(head.find("\r\n") + 2));
  return std::string(headers.first(name).value_or(""));
}

}  // namespace tapedeck::bench
