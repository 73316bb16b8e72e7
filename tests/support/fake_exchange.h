#pragma once
// An Exchange without a socket: one request in, the answer's pieces kept.

#include <memory>
#include <string>

#include "http/server/exchange.h"

namespace tapedeck::testing {

class FakeExchange : public http::Exchange {
 public:
  explicit FakeExchange(http::Request request) : request_(std::move(request)) {}

  [[nodiscard]] const http::Request& request() const override { return request_; }
  [[nodiscard]] std::string_view peer() const override { return "127.0.0.1:40000"; }
  void respond(http::Response response) override {
    response_ = std::move(response);
    ++answers_;
  }
  void respond(const http::PreparedReply& reply) override {
    const std::string_view head = reply.head;
    const std::size_t line_end = head.find("\r\n");
    response_ = {};
    response_.status = std::stoi(std::string(head.substr(9, 3)));
    response_.reason = std::string(head.substr(13, line_end - 13));
    response_.headers = http::Headers::from_text(head.substr(line_end + 2));
    for (const std::string_view piece : reply.pieces) response_.body += piece;
    was_prepared_ = true;
    ++answers_;
  }
  void start(http::Response head) override { response_ = std::move(head); }
  void write(std::string bytes) override { response_.body += bytes; }
  void finish() override { ++answers_; }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void on_drained(std::function<void()> callback) override { callback(); }
  void abort() override { is_aborted_ = true; }
  [[nodiscard]] bool gone() const override { return is_aborted_; }
  void post(std::function<void()> task) override { task(); }

  [[nodiscard]] const http::Response& response() const { return response_; }
  [[nodiscard]] int answers() const { return answers_; }
  [[nodiscard]] bool is_aborted() const { return is_aborted_; }
  [[nodiscard]] bool was_prepared() const { return was_prepared_; }

 private:
  http::Request request_;
  http::Response response_;
  int answers_ = 0;
  bool is_aborted_ = false, was_prepared_ = false;
};

}  // namespace tapedeck::testing
