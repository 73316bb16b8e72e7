#pragma once
// Represents a request without a socket, for commands that show a response, and for tests.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/server/exchange.h"

namespace tapedeck::http {

/// Stores the response. unsent() is always 0, and posted tasks run immediately.
class LocalExchange : public Exchange {
 public:
  explicit LocalExchange(Request request) : request_(std::move(request)) {}

  [[nodiscard]] const Request& request() const override { return request_; }
  [[nodiscard]] Request take_request() override { return std::move(request_); }
  void allow_page(std::string origin) override { page_ = std::move(origin); }
  void respond(Response response) override {
    response_ = std::move(response);
    ++answers_;
  }
  void respond(const PreparedReply& reply) override { respond(as_response(reply)); }
  void respond(Response head, SharedBytes body) override {
    head.body = body.bytes;
    respond(std::move(head));
  }
  void start(Response head) override { response_ = std::move(head); }
  void write(std::string bytes) override { response_.body += bytes; }
  void write(SharedBytes bytes) override { response_.body += bytes.bytes; }
  void finish() override { ++answers_; }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void on_drained(std::function<void()> callback) override { callback(); }
  void abort() override { is_aborted_ = true; }
  void fail(ConnectionFault how, std::chrono::microseconds) override { connection_fault_ = how; }
  /// Runs the task immediately.
  void after(std::chrono::microseconds delay, std::function<void()> task) override {
    delays_.push_back(delay);
    task();
  }
  [[nodiscard]] bool gone() const override { return is_aborted_; }
  void post(std::function<void()> task) override { task(); }

  [[nodiscard]] const Response& response() const { return response_; }
  /// Returns the origin whose pages may read the response, or "".
  [[nodiscard]] const std::string& page() const { return page_; }
  /// Returns the number of complete responses, which is one for a correct handler.
  [[nodiscard]] int answers() const { return answers_; }
  /// Returns the fault that the handler chose instead of a response, if any.
  [[nodiscard]] std::optional<ConnectionFault> connection_fault() const { return connection_fault_; }
  /// Returns the delays that a client would have experienced.
  [[nodiscard]] const std::vector<std::chrono::microseconds>& delays() const { return delays_; }

 private:
  Request request_;
  Response response_;
  std::string page_;
  int answers_ = 0;
  bool is_aborted_ = false;
  std::optional<ConnectionFault> connection_fault_;
  std::vector<std::chrono::microseconds> delays_;
};

}  // namespace tapedeck::http
