#pragma once
// A Listener with its own loops, for tests.

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "http/server/listener.h"
#include "tests/http/raw_socket.h"

namespace tapedeck::http::testing {

/// `lines` are more headers, each with its line end.
inline std::string get(const std::string& target, const std::string& lines = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: nas.example\r\n" + lines + "\r\n";
}

/// Responds with the request in the form "METHOD target [body]", and counts.
class EchoHandler : public Handler {
 public:
  void handle(std::shared_ptr<Exchange> exchange) override {
    ++handled;
    const Request& request = exchange->request();
    Response response;
    response.headers.add("Content-Type", "text/plain");
    response.body = request.method + " " + request.target + " [" + request.body + "]";
    if (const auto shown = request.headers.first("X-Show")) response.headers.add("X-Shown", *shown);
    exchange->respond(std::move(response));
  }
  std::atomic<int> handled{0};
};

/// A handler from a function.
class CallHandler : public Handler {
 public:
  explicit CallHandler(std::function<void(std::shared_ptr<Exchange>)> call) : call_(std::move(call)) {}
  void handle(std::shared_ptr<Exchange> exchange) override { call_(std::move(exchange)); }

 private:
  std::function<void(std::shared_ptr<Exchange>)> call_;
};

/// Runs loops in threads until the object is destroyed. A lack of memory does not end a loop, as in the program.
class Loops {
 public:
  explicit Loops(std::size_t count = 1) {
    for (std::size_t i = 0; i < count; ++i) loops_.push_back(std::make_unique<EventLoop>());
  }
  ~Loops() { stop(); }
  void start() {
    for (const auto& loop : loops_) {
      threads_.emplace_back([&loop = *loop] {
        for (bool ended = false; !ended;) {
          try {
            loop.run();
            ended = true;
          } catch (const std::bad_alloc&) {
          }
        }
      });
    }
  }
  void stop() {
    for (const auto& loop : loops_) loop->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  [[nodiscard]] const std::vector<std::unique_ptr<EventLoop>>& all() const { return loops_; }
  [[nodiscard]] EventLoop& first() { return *loops_.front(); }

 private:
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::vector<std::thread> threads_;
};

class TestServer {
 public:
  explicit TestServer(Handler& handler, const Limits& limits = {}, std::size_t loops = 1,
                      std::optional<ServerTls> tls = std::nullopt, const std::string& host = "127.0.0.1")
      : loops_(loops), listener_(loops_.all(), ListenerOptions{Endpoint{host, 0}, limits, std::move(tls)}, handler) {
    loops_.start();
  }
  ~TestServer() { loops_.stop(); }

  [[nodiscard]] std::uint16_t port() const { return listener_.local().port; }
  [[nodiscard]] RawSocket connect() const { return RawSocket::connect(port()); }
  [[nodiscard]] Listener& listener() { return listener_; }
  [[nodiscard]] EventLoop& loop() { return loops_.first(); }

 private:
  Loops loops_;
  Listener listener_;
};

/// Returns the status in a response's first line, such as "200", or "".
[[nodiscard]] inline std::string status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? answer.substr(9, 3) : "";
}
[[nodiscard]] inline std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace tapedeck::http::testing
