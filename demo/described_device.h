#pragma once
// The device of examples/nas/device.json as a handler, for `tapedeck demo`: answers as examples/nas/device.mjs does.

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "http/server/exchange.h"

namespace tapedeck::demo {

/// One call of a client, as device.json tells it: "SVC.Core.Share/1/get" and its parameters.
struct DescribedCall {
  std::string call;
  std::vector<std::pair<std::string, std::string>> params;
};

/// What a client of the device asks between login and logout, and with which account.
struct Walk {
  std::string account, password;
  std::vector<DescribedCall> calls;
};
[[nodiscard]] Walk described_walk();

/// Sessions are one; a logout begins anew. Thread-safe.
class DescribedDevice : public http::Handler {
 public:
  DescribedDevice();
  ~DescribedDevice() override;
  void handle(std::shared_ptr<http::Exchange> exchange) override;

 private:
  struct State;
  std::mutex mutex_;
  std::unique_ptr<State> state_;
};

}  // namespace tapedeck::demo
