#include <utility>

#include "http/session.h"

namespace tapedeck::http {

SessionExchange::~SessionExchange() {
  if (ended_ || session_.expired()) return;
  loop_.post([session = session_] {
    if (const auto alive = session.lock()) alive->abort();
  });
}

std::shared_ptr<Session> SessionExchange::waiting(bool last) {
  if (ended_) return nullptr;
  ended_ = last;
  std::shared_ptr<Session> session = session_.lock();
  return session && !session->is_closed() ? session : nullptr;
}

const Request& SessionExchange::request() const {
  static const Request none;
  const auto session = session_.lock();
  return session ? session->request() : none;
}

std::string_view SessionExchange::peer() const {
  const auto session = session_.lock();
  return session ? session->peer() : std::string_view();
}

void SessionExchange::respond(Response response) {
  if (const auto session = waiting(true)) {
    session->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.respond(out, std::move(response)); });
  }
}

void SessionExchange::respond(const PreparedReply& reply) {
  if (const auto session = waiting(true)) {
    session->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.respond(out, reply); });
  }
}

void SessionExchange::start(Response head_without_body) {
  if (const auto session = waiting(false)) {
    session->answer(false, [&](AnswerWriter& writer, OutQueue& out) { writer.start(out, head_without_body); });
  }
}

void SessionExchange::write(std::string bytes) {
  if (const auto session = waiting(false)) {
    session->answer(false, [&](AnswerWriter& writer, OutQueue& out) { writer.write(out, std::move(bytes)); });
  }
}

void SessionExchange::finish() {
  if (const auto session = waiting(true)) {
    session->answer(true, [&](AnswerWriter& writer, OutQueue& out) { writer.finish(out); });
  }
}

std::size_t SessionExchange::unsent() const {
  const auto session = session_.lock();
  return session && !ended_ ? session->unsent() : 0;
}

void SessionExchange::on_drained(std::function<void()> callback) {
  if (const auto session = waiting(false)) session->on_drained(std::move(callback));
}

void SessionExchange::abort() {
  if (const auto session = waiting(true)) session->abort();
}

bool SessionExchange::gone() const {
  const auto session = session_.lock();
  return !session || session->is_closed();
}

}  // namespace tapedeck::http
