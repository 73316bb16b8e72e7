#pragma once

#include <memory>
#include <string>
#include <utility>

#include "http/io/byte_stream.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// The client's side of an exchange that has started a 101: what follows its request and its response.
class ExchangeStream final : public ByteStream {
 public:
  explicit ExchangeStream(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  void read(std::function<void(std::optional<std::string>)> done) override {
    exchange_->read_body([done = std::move(done)](std::string bytes, bool last) {
      done(last ? std::nullopt : std::optional(std::move(bytes)));
    });
  }
  void write(std::string bytes) override { exchange_->write(std::move(bytes)); }
  [[nodiscard]] std::size_t unsent() const override { return exchange_->unsent(); }
  void on_drained(std::function<void()> callback) override { exchange_->on_drained(std::move(callback)); }
  void finish() override { exchange_->finish(); }
  void abort() override { exchange_->abort(); }

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace tapedeck::http
