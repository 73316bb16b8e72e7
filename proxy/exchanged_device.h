#pragma once
// Lets many client sessions share one session at the device (docs/recording.md, "Complete a recording"): exchanges IDs,
// CSRF tokens, and device IDs in both directions, and opens an ended session again before the client notices.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/server/exchange.h"
#include "proxy/device_session.h"
#include "proxy/seams.h"
#include "scrubbers/counterparts.h"

namespace tapedeck::proxy {

/// The values by which a client knows its session.
struct ClientSession {
  std::string id, csrf_token, device_id;
};

/// Between a recorder, which sees and stores what the client sends and receives, and the device. For the loop's thread.
///
/// Forwards requests without a session unchanged. Decompresses responses in which something is exchanged. Exchanges
/// live responses piece by piece: a compressed one, and a value that is encoded and split, stays as the device wrote
/// it. What is stored is exchanged as a whole.
class ExchangedDevice {
 public:
  /// `device` and `session` must outlive it. `base_path` is the device's. A response that unpacks to more than
  /// `most_unpacked` bytes stays as it is.
  ExchangedDevice(Device& device, DeviceSession& session, std::string base_path, std::size_t most_unpacked);

  /// As Device::forward(), for a client with this session. If the device gives no session, the client gets an error and
  /// `client` is not called.
  void forward(const ClientSession& session, std::shared_ptr<http::Exchange> exchange, http::Request head,
               std::string_view body, bool is_read, std::shared_ptr<http::RelayClient> client);

 private:
  class InFlight;
  class Answers;
  [[nodiscard]] bool carries(const ClientSession& session, const http::Request& head, std::string_view body) const;

  Device& device_;
  DeviceSession& session_;
  const std::string base_path_;
  const std::size_t most_unpacked_;
  const scrubbers::CompiledRules rules_;
};

/// The device as one client knows it.
class ClientDevice final : public Device {
 public:
  /// `device` must outlive it.
  ClientDevice(ExchangedDevice& device, ClientSession session) : device_(device), session_(std::move(session)) {}
  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool is_read,
               std::shared_ptr<http::RelayClient> client) override {
    device_.forward(session_, std::move(exchange), std::move(head), body, is_read, std::move(client));
  }

 private:
  ExchangedDevice& device_;
  const ClientSession session_;
};

}  // namespace tapedeck::proxy
