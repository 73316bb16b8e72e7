#pragma once
// Gives a handler access to one request of a connection.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/io/event_loop.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

class Connection;

/// The handler's side of a connection. There is one per request, so a late or lost exchange does not affect the next
/// one.
class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(std::weak_ptr<Connection> connection, EventLoop& loop)
      : connection_(std::move(connection)), loop_(loop) {}
  ~ConnectionExchange() override;

  [[nodiscard]] const Request& request() const override;
  [[nodiscard]] Request take_request() override;
  [[nodiscard]] Endpoint local() const override;
  void respond(Response response) override;
  void respond(const PreparedReply& reply) override;
  void respond(Response head, SharedBytes body) override;
  void start(Response head_without_body) override;
  void write(std::string bytes) override;
  void write(SharedBytes bytes) override;
  void finish() override;
  [[nodiscard]] std::size_t unsent() const override;
  void on_drained(std::function<void()> callback) override;
  void expect(std::size_t bytes) override;
  void abort() override;
  void fail(Mishap how, std::chrono::microseconds longest) override;
  void after(std::chrono::microseconds delay, std::function<void()> task) override;
  [[nodiscard]] bool gone() const override;
  [[nodiscard]] bool input_ended() const override;
  [[nodiscard]] bool body_is_open() const override;
  void read_body(std::function<void(std::string, bool)> took) override;
  void post(std::function<void()> task) override { loop_.post(std::move(task)); }

 private:
  /// Returns the connection while it waits for this exchange. If `last` is true, the exchange ends.
  [[nodiscard]] std::shared_ptr<Connection> waiting(bool last);

  std::weak_ptr<Connection> connection_;
  EventLoop& loop_;
  bool ended_ = false;
};

}  // namespace tapedeck::http
