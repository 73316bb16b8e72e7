#include <utility>

#include "http/server/connection.h"

namespace tapedeck::http {
namespace {

class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(std::weak_ptr<Connection> connection, EventLoop& loop)
      : connection_(std::move(connection)), loop_(loop) {}

  ~ConnectionExchange() override {
    if (ended_ || connection_.expired()) return;
    loop_.post([connection = connection_] {
      if (const auto alive = connection.lock()) alive->abort();
    });
  }

  [[nodiscard]] const Request& request() const override {
    static const Request none;
    const auto connection = connection_.lock();
    return connection ? connection->request() : none;
  }
  [[nodiscard]] Request take_request() override {
    const auto connection = connection_.lock();
    return connection ? connection->take_request() : Request();
  }
  [[nodiscard]] Endpoint local() const override {
    const auto connection = connection_.lock();
    return connection && !connection->is_closed() ? connection->local() : Endpoint();
  }

  void allow_page(std::string origin) override {
    if (const auto connection = waiting(false)) connection->allow_page(std::move(origin));
  }
  void respond(Response response) override {
    answer_whole([&](ResponseWriter& writer, OutQueue& out) { writer.respond(out, std::move(response)); });
  }
  void respond(const PreparedReply& reply) override {
    answer_whole([&](ResponseWriter& writer, OutQueue& out) { writer.respond(out, reply); });
  }
  void respond(Response head, SharedBytes body) override {
    answer_whole([&](ResponseWriter& writer, OutQueue& out) { writer.respond(out, head, body); });
  }
  void start(Response head_without_body) override {
    if (std::exchange(is_started_, true)) return;
    answer(false, [&](ResponseWriter& writer, OutQueue& out) { writer.start(out, head_without_body); });
  }
  void write(std::string bytes) override {
    answer(false, [&](ResponseWriter& writer, OutQueue& out) { writer.write(out, std::move(bytes)); });
  }
  void write(SharedBytes bytes) override {
    answer(false, [&](ResponseWriter& writer, OutQueue& out) { writer.write(out, std::move(bytes)); });
  }
  void finish() override {
    answer(true, [](ResponseWriter& writer, OutQueue& out) { writer.finish(out); });
  }

  [[nodiscard]] std::size_t unsent() const override {
    const auto connection = connection_.lock();
    return connection && !ended_ ? connection->unsent() : 0;
  }
  void on_drained(std::function<void()> callback) override {
    if (const auto connection = waiting(false)) connection->on_drained(std::move(callback));
  }
  void expect(std::size_t bytes) override {
    if (const auto connection = waiting(false)) connection->expect(bytes);
  }
  void abort() override {
    if (const auto connection = waiting(true)) connection->abort();
  }
  void fail(ConnectionFault how, std::chrono::microseconds longest) override {
    if (const auto connection = waiting(true)) connection->fail(how, longest);
  }
  void after(std::chrono::microseconds delay, std::function<void()> task) override {
    if (const auto connection = waiting(false)) connection->after(delay, std::move(task));
  }
  [[nodiscard]] bool gone() const override {
    const auto connection = connection_.lock();
    return !connection || connection->is_closed();
  }
  [[nodiscard]] bool input_ended() const override {
    const auto connection = connection_.lock();
    return !connection || connection->input_ended();
  }
  [[nodiscard]] bool body_is_open() const override {
    const auto connection = connection_.lock();
    return connection && connection->body_is_open();
  }
  void read_body(std::function<void(std::string, bool)> took) override {
    if (const auto connection = waiting(false)) return connection->read_body(std::move(took));
    loop_.post([took = std::move(took)] { took({}, true); });
  }
  void post(std::function<void()> task) override { loop_.post(std::move(task)); }

 private:
  /// Returns the connection while it waits for this exchange. If `last` is true, the exchange ends.
  [[nodiscard]] std::shared_ptr<Connection> waiting(bool last) {
    if (ended_) return nullptr;
    ended_ = last;
    std::shared_ptr<Connection> connection = connection_.lock();
    return connection && !connection->is_closed() ? connection : nullptr;
  }
  template <class Write>
  void answer_whole(const Write& write) {
    if (is_started_) return abort();
    answer(true, write);
  }
  template <class Write>
  void answer(bool last, const Write& write) {
    if (const auto connection = waiting(last)) connection->write_response(last, write);
  }

  std::weak_ptr<Connection> connection_;
  EventLoop& loop_;
  bool ended_ = false;
  bool is_started_ = false;
};

}  // namespace

std::shared_ptr<Exchange> make_exchange(std::weak_ptr<Connection> connection, EventLoop& loop) {
  return std::make_shared<ConnectionExchange>(std::move(connection), loop);
}

}  // namespace tapedeck::http
