#include "proxy/device_calls.h"

#include <utility>

#include "base/wipe.h"
#include "http/server/local_exchange.h"

namespace tapedeck::proxy {
namespace {

/// Owns the request's body while it is being sent, and the result.
class OwnCall : public http::RelayClient {
 public:
  OwnCall(std::string body, std::function<void(DeviceReply)> done) : body_(std::move(body)), done_(std::move(done)) {}
  ~OwnCall() override { base::wipe(body_); }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

  [[nodiscard]] std::string_view body() const { return body_; }
  void rewrite(http::Response& /*head*/) override {}
  std::shared_ptr<const std::string> ended(http::Relayed&& relayed, http::Receipt /*given at once*/) override {
    done_({std::move(relayed.response), relayed.ending, std::move(relayed.detail)});
    return std::make_shared<const std::string>();
  }
  void commit_overdue() override {}

 private:
  std::string body_;
  std::function<void(DeviceReply)> done_;
};

void forward(http::Relay& relay, http::Request request, std::function<void(DeviceReply)> done) {
  const auto call = std::make_shared<OwnCall>(std::exchange(request.body, {}), std::move(done));
  const auto exchange = std::make_shared<http::LocalExchange>(http::Request{request.method, request.target, 1, {}, {}});
  // If an idle connection was closed, the request is repeated on a new one, because Tapedeck's own calls change
  // nothing.
  relay.forward(exchange, std::move(request), call->body(), true, call);
}

}  // namespace

void RelayedCalls::ask(http::Request request, Done done) {
  forward(relay_, std::move(request), [this, told = std::move(done)](DeviceReply reply) {
    // Posted, because the relay is still handling this transfer.
    loop_.post([told, kept = std::make_shared<DeviceReply>(std::move(reply))] { told(std::move(*kept)); });
  });
}

void DirectCalls::ask(http::Request request, Done done) { done(ask(std::move(request))); }

DeviceReply DirectCalls::ask(http::Request request) {
  http::EventLoop loop;
  http::Relay relay(loop, options_);
  DeviceReply reply;
  loop.post([&] {
    forward(relay, std::move(request), [&](DeviceReply came) {
      reply = std::move(came);
      loop.stop();
    });
  });
  loop.run();
  return reply;
}

}  // namespace tapedeck::proxy
