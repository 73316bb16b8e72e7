#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/server/exchange.h"

namespace tapedeck::http {

/// Forwards everything to another exchange. Derived classes override what they change.
class ForwardedExchange : public Exchange {
 public:
  explicit ForwardedExchange(std::shared_ptr<Exchange> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const Request& request() const override { return inner_->request(); }
  [[nodiscard]] Request take_request() override { return inner_->take_request(); }
  [[nodiscard]] Endpoint local() const override { return inner_->local(); }
  [[nodiscard]] bool body_is_open() const override { return inner_->body_is_open(); }
  void read_body(std::function<void(std::string, bool)> took) override { inner_->read_body(std::move(took)); }
  void allow_page(std::string origin) override { inner_->allow_page(std::move(origin)); }
  void respond(Response response) override { inner_->respond(std::move(response)); }
  void respond(const PreparedReply& reply) override { inner_->respond(reply); }
  void respond(Response head, SharedBytes body) override { inner_->respond(std::move(head), std::move(body)); }
  void start(Response head) override { inner_->start(std::move(head)); }
  void write(std::string bytes) override { inner_->write(std::move(bytes)); }
  void write(SharedBytes bytes) override { inner_->write(std::move(bytes)); }
  void finish() override { inner_->finish(); }
  [[nodiscard]] std::size_t unsent() const override { return inner_->unsent(); }
  [[nodiscard]] bool input_ended() const override { return inner_->input_ended(); }
  void on_drained(std::function<void()> callback) override { inner_->on_drained(std::move(callback)); }
  void expect(std::size_t bytes) override { inner_->expect(bytes); }
  void abort() override { inner_->abort(); }
  void fail(ConnectionFault how, std::chrono::microseconds longest) override { inner_->fail(how, longest); }
  void after(std::chrono::microseconds delay, std::function<void()> task) override {
    inner_->after(delay, std::move(task));
  }
  [[nodiscard]] bool gone() const override { return inner_->gone(); }
  void post(std::function<void()> task) override { inner_->post(std::move(task)); }

 protected:
  std::shared_ptr<Exchange> inner_;
};

}  // namespace tapedeck::http
