#include "http/server/connection_exchange.h"

#include <utility>

#include "http/server/connection.h"

namespace tapedeck::http {

ConnectionExchange::~ConnectionExchange() {
  if (ended_ || connection_.expired()) return;
  loop_.post([connection = connection_] {
    if (const auto alive = connection.lock()) alive->abort();
  });
}

std::shared_ptr<Connection> ConnectionExchange::waiting(bool last) {
  if (ended_) return nullptr;
  ended_ = last;
  std::shared_ptr<Connection> connection = connection_.lock();
  return connection && !connection->is_closed() ? connection : nullptr;
}

const Request& ConnectionExchange::request() const {
  static const Request none;
  const auto connection = connection_.lock();
  return connection ? connection->request() : none;
}

Request ConnectionExchange::take_request() {
  const auto connection = connection_.lock();
  return connection ? connection->take_request() : Request();
}

Endpoint ConnectionExchange::local() const {
  const auto connection = connection_.lock();
  return connection && !connection->is_closed() ? connection->local() : Endpoint();
}

void ConnectionExchange::respond(Response response) {
  if (const auto connection = waiting(true)) {
    connection->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.respond(out, std::move(response)); });
  }
}

void ConnectionExchange::respond(const PreparedReply& reply) {
  if (const auto connection = waiting(true)) {
    connection->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.respond(out, reply); });
  }
}

void ConnectionExchange::respond(Response head, SharedBytes body) {
  if (const auto connection = waiting(true)) {
    connection->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.respond(out, head, body); });
  }
}

void ConnectionExchange::start(Response head_without_body) {
  if (const auto connection = waiting(false)) {
    connection->answer(false, [&](AnswerWriter& writer, OutQueue& out) { writer.start(out, head_without_body); });
  }
}

void ConnectionExchange::write(std::string bytes) {
  if (const auto connection = waiting(false)) {
    connection->answer(false, [&](AnswerWriter& writer, OutQueue& out) { writer.write(out, std::move(bytes)); });
  }
}

void ConnectionExchange::write(SharedBytes bytes) {
  if (const auto connection = waiting(false)) {
    connection->answer(false, [&](AnswerWriter& writer, OutQueue& out) { writer.write(out, std::move(bytes)); });
  }
}

void ConnectionExchange::finish() {
  if (const auto connection = waiting(true)) {
    connection->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.finish(out); });
  }
}

std::size_t ConnectionExchange::unsent() const {
  const auto connection = connection_.lock();
  return connection && !ended_ ? connection->unsent() : 0;
}

void ConnectionExchange::on_drained(std::function<void()> callback) {
  if (const auto connection = waiting(false)) connection->on_drained(std::move(callback));
}

void ConnectionExchange::expect(std::size_t bytes) {
  if (const auto connection = waiting(false)) connection->expect(bytes);
}

void ConnectionExchange::abort() {
  if (const auto connection = waiting(true)) connection->abort();
}

bool ConnectionExchange::input_ended() const {
  const auto connection = connection_.lock();
  return !connection || connection->input_ended();
}

bool ConnectionExchange::body_is_open() const {
  const auto connection = connection_.lock();
  return connection && connection->body_is_open();
}

void ConnectionExchange::read_body(std::function<void(std::string, bool)> took) {
  if (const auto connection = waiting(false)) return connection->read_body(std::move(took));
  loop_.post([took = std::move(took)] { took({}, true); });
}

void ConnectionExchange::fail(Mishap how, std::chrono::microseconds longest) {
  if (const auto connection = waiting(true)) connection->fail(how, longest);
}

void ConnectionExchange::after(std::chrono::microseconds delay, std::function<void()> task) {
  if (const auto connection = waiting(false)) connection->after(delay, std::move(task));
}

bool ConnectionExchange::gone() const {
  const auto connection = connection_.lock();
  return !connection || connection->is_closed();
}

}  // namespace tapedeck::http
