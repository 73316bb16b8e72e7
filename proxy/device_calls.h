#pragma once
// What Tapedeck asks a device for itself, and not for a client: one request, one answer, nothing stored.

#include <functional>
#include <string>

#include "http/device/relay.h"
#include "http/io/event_loop.h"

namespace tapedeck::proxy {

/// What one request came to.
struct DeviceReply {
  http::Response answer;  ///< of an answer that is not whole, as far as it came
  http::Ending ending = http::Ending::unreachable;
  std::string why;  ///< of one that is not whole, in words; nothing of the traffic in it

  [[nodiscard]] bool is_whole() const { return ending == http::Ending::whole; }
};

class DeviceCalls {
 public:
  using Done = std::function<void(DeviceReply)>;
  virtual ~DeviceCalls() = default;
  /// The target is relative to the device's origin. Its body is wiped when the answer is there.
  virtual void ask(http::Request request, Done done) = 0;
};

/// Over a relay's connections, beside its clients' requests. For the loop's thread, on which `done` is called, later.
class RelayedCalls : public DeviceCalls {
 public:
  /// Both must outlive it.
  RelayedCalls(http::EventLoop& loop, http::Relay& relay) : loop_(loop), relay_(relay) {}
  void ask(http::Request request, Done done) override;

 private:
  http::EventLoop& loop_;
  http::Relay& relay_;
};

/// On connections and a loop of their own: `done` is called before ask() returns. For any thread without a loop, such
/// as one whose loop has ended.
class DirectCalls : public DeviceCalls {
 public:
  explicit DirectCalls(http::RelayOptions options) : options_(std::move(options)) {}
  void ask(http::Request request, Done done) override;
  [[nodiscard]] DeviceReply ask(http::Request request);

 private:
  http::RelayOptions options_;
};

}  // namespace tapedeck::proxy
