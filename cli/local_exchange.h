#pragma once
// A request asked without a socket.

#include <memory>
#include <string>
#include <utility>

#include "http/server/exchange.h"

namespace tapedeck::cli {

/// Keeps the answer it is given; a handler that answers before handle() returns can be asked through it.
class LocalExchange : public http::Exchange {
 public:
  explicit LocalExchange(http::Request request) : request_(std::move(request)) {}

  [[nodiscard]] const http::Request& request() const override { return request_; }
  [[nodiscard]] std::string_view peer() const override { return "local"; }
  void respond(http::Response response) override { answer_ = std::move(response); }
  void respond(const http::PreparedReply& reply) override;
  void start(http::Response head) override { answer_ = std::move(head); }
  void write(std::string bytes) override { answer_.body += bytes; }
  void finish() override {}
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void on_drained(std::function<void()> callback) override { callback(); }
  void abort() override {}
  [[nodiscard]] bool gone() const override { return false; }
  void post(std::function<void()> task) override { task(); }

  [[nodiscard]] const http::Response& answer() const { return answer_; }

 private:
  http::Request request_;
  http::Response answer_;
};

}  // namespace tapedeck::cli
