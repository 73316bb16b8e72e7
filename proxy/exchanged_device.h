#pragma once
// Lets many client sessions share one session at the device (docs/recording.md, "Complete a recording"): exchanges IDs,
// CSRF tokens, and device IDs in both directions, and opens an ended session again before the client notices.

#include <functional>
#include <memory>
#include <string>

#include "http/server/exchange.h"
#include "proxy/device_session.h"
#include "proxy/seams.h"
#include "scrubbers/counterparts.h"

namespace tapedeck::proxy {

/// The values by which a client knows its session.
struct ClientSession {
  std::string id, csrf_token, device_id;
};

/// Between the recorder, which sees and stores what the client sends and receives, and the device. For the loop's
/// thread.
///
/// Forwards requests without a session unchanged. Decompresses responses in which something is exchanged. Exchanges
/// live responses piece by piece: a compressed one, and a value that is encoded and split, stays as the device wrote
/// it. What is stored is exchanged as a whole.
class ExchangedDevice : public Device {
 public:
  /// `device` and `session` must outlive it. `base_path` is the device's. A response that unpacks to more than
  /// `most_unpacked` bytes stays as it is.
  ExchangedDevice(Device& device, DeviceSession& session, std::string base_path, std::size_t most_unpacked);

  /// Calls `handle`; what the recorder forwards before it returns belongs to this client.
  void serve(const ClientSession& client, const std::function<void()>& handle);

  /// As Device::forward(); outside of serve() without exchange. If there is no session, the client gets an error and
  /// `client` is not called.
  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool is_read,
               std::shared_ptr<http::RelayClient> client) override;

 private:
  class Passing;
  class Answers;

  Device& device_;
  DeviceSession& session_;
  const std::string base_path_;
  const std::size_t most_unpacked_;
  const scrubbers::CompiledRules rules_;
  const ClientSession* serving_ = nullptr;
};

}  // namespace tapedeck::proxy
