#pragma once
// A fake device that sends raw bytes, and a listener that relays to it and stores each result.

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>

#include "http/device/relay.h"
#include "http/io/buffer_charge.h"
#include "tests/http/server_fixture.h"

namespace tapedeck::http::testing {

/// Returns one chunk of a chunked body.
inline std::string chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

/// Calls `serve` for each connection, on a separate thread.
class FakeDevice {
 public:
  using Serve = std::function<void(RawSocket& socket, int ordinal)>;
  explicit FakeDevice(Serve serve) : serve_(std::move(serve)) {
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~FakeDevice() {
    server_.stop();
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const auto& socket : sockets_) ::shutdown(socket->fd(), SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void accept_all() {
    for (;;) {
      auto socket = std::make_shared<RawSocket>(server_.accept());
      if (socket->fd() < 0) return;
      const int ordinal = connections_++;
      const std::lock_guard lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket, ordinal] {
        serve_(*socket, ordinal);
        // Shuts down without closing, because the descriptor must stay reserved until the device is destroyed.
        ::shutdown(socket->fd(), SHUT_RDWR);
      });
    }
  }

  Serve serve_;
  RawServer server_;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<std::shared_ptr<RawSocket>> sockets_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

/// Responds to every request of a connection with the same bytes.
[[nodiscard]] inline FakeDevice::Serve always(std::string answer) {
  return [answer = std::move(answer)](RawSocket& socket, int) {
    while (!socket.read_message().empty()) socket.send(answer);
  };
}
/// Reads one request, responds with these bytes, and closes.
[[nodiscard]] inline FakeDevice::Serve once(std::string answer) {
  return [answer = std::move(answer)](RawSocket& socket, int) {
    if (!socket.read_message().empty()) socket.send(answer);
  };
}

/// Stores the results that relays report. Commits immediately unless the test delays it.
class StoryKeeper {
 public:
  std::shared_ptr<const std::string> ended(Relayed&& relayed, Receipt receipt) {
    if (lacks_memory) throw std::bad_alloc();
    auto body = std::make_shared<const std::string>(relayed.response.body);
    const std::lock_guard lock(mutex_);
    stories_.push_back(std::move(relayed));
    if (waits) held_.push_back(std::move(receipt));
    changed_.notify_all();
    return body;
  }

  [[nodiscard]] Relayed next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(10), [this] { return !stories_.empty(); })) {
      throw std::runtime_error("no story was told");
    }
    Relayed story = std::move(stories_.front());
    stories_.pop_front();
    return story;
  }
  void commit() {
    const std::lock_guard lock(mutex_);
    held_.clear();
  }

  std::atomic<bool> waits{false}, lacks_memory{false};
  std::atomic<int> overdue{0};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Relayed> stories_;
  std::deque<Receipt> held_;
};

/// One exchange of a keeper. Keeps the request's body alive.
class OneStory : public RelayClient {
 public:
  OneStory(std::shared_ptr<StoryKeeper> keeper, std::string body)
      : keeper_(std::move(keeper)), body_(std::move(body)) {}
  void rewrite(Response& head) override { head.headers.add("X-Rewritten", "yes"); }
  std::shared_ptr<const std::string> ended(Relayed&& relayed, Receipt receipt) override {
    return keeper_->ended(std::move(relayed), std::move(receipt));
  }
  void commit_overdue() override { ++keeper_->overdue; }
  [[nodiscard]] std::string_view body() const { return body_; }

 private:
  std::shared_ptr<StoryKeeper> keeper_;
  std::string body_;
};

/// A proxy without the recorder's logic: clients connect to it, and it relays to the device.
class TestProxy : private Handler {
 public:
  explicit TestProxy(std::uint16_t device_port, RelayOptions options = {}, bool device_tls = false,
                     const std::string& device_host = "127.0.0.1")
      : relay_(loops_.first(), with_device(options, BaseUrl{device_tls, device_host, device_port, ""})),
        listener_(loops_.all(), ListenerOptions{Endpoint{"127.0.0.1", 0}, options.limits, std::nullopt, true}, *this) {
    loops_.start();
  }
  ~TestProxy() override { loops_.stop(); }

  [[nodiscard]] RawSocket connect() const { return RawSocket::connect(listener_.local().port); }
  [[nodiscard]] EventLoop& loop() { return loops_.first(); }
  [[nodiscard]] StoryKeeper& keeper() { return *keeper_; }
  void shut_down_relay() {
    loops_.first().post([this] { relay_.shut_down(); });
  }
  /// Sends one request on a separate connection, and returns everything received.
  [[nodiscard]] std::string ask(const std::string& target = "/", const std::string& lines = "") {
    RawSocket client = connect();
    client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + lines + "\r\n");
    return client.read_all();
  }

 private:
  static RelayOptions with_device(RelayOptions options, BaseUrl device) {
    options.device = std::move(device);
    return options;
  }
  void handle(std::shared_ptr<Exchange> exchange) override {
    Request request = exchange->take_request();
    const bool is_read = request.method == "GET";
    const auto story = std::make_shared<OneStory>(keeper_, std::move(request.body));
    relay_.forward(std::move(exchange), std::move(request), story->body(), is_read, story);
  }

  std::shared_ptr<StoryKeeper> keeper_ = std::make_shared<StoryKeeper>();
  Loops loops_;
  Relay relay_;
  Listener listener_;
};

}  // namespace tapedeck::http::testing
