#pragma once
// Sends requests of Tapedeck itself to a device. Their responses are not stored.

#include <functional>
#include <string>

#include "http/device/relay.h"
#include "http/io/event_loop.h"

namespace tapedeck::proxy {

/// The result of one request.
struct DeviceReply {
  http::Response answer;  ///< if it is not complete, the received part
  http::Ending ending = http::Ending::unreachable;
  std::string why;  ///< why it is not complete; contains no traffic data

  [[nodiscard]] bool is_whole() const { return ending == http::Ending::whole; }
};

class DeviceCalls {
 public:
  using Done = std::function<void(DeviceReply)>;
  virtual ~DeviceCalls() = default;
  /// Sends a request whose target is relative to the device's origin. Wipes its body after the response has arrived.
  virtual void ask(http::Request request, Done done) = 0;
};

/// Shares a relay's connections with the requests of its clients. Call it on the loop's thread, on which `done` is
/// called later.
class RelayedCalls : public DeviceCalls {
 public:
  /// `loop` and `relay` must outlive it.
  RelayedCalls(http::EventLoop& loop, http::Relay& relay) : loop_(loop), relay_(relay) {}
  void ask(http::Request request, Done done) override;

 private:
  http::EventLoop& loop_;
  http::Relay& relay_;
};

/// Uses its own connections and loop. Calls `done` before ask() returns. Call it on a thread without a running loop.
class DirectCalls : public DeviceCalls {
 public:
  explicit DirectCalls(http::RelayOptions options) : options_(std::move(options)) {}
  void ask(http::Request request, Done done) override;
  [[nodiscard]] DeviceReply ask(http::Request request);

 private:
  http::RelayOptions options_;
};

}  // namespace tapedeck::proxy
