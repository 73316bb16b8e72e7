#pragma once
// Lets many client sessions share one session at the device (docs/recording.md, "Complete a recording"). Exchanges IDs,
// CSRF tokens, and device IDs in both directions. If the session ends, opens another one and repeats the refused
// requests.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/server/exchange.h"
#include "proxy/device_session.h"
#include "proxy/recorder_backend.h"
#include "scrubbers/counterparts.h"

namespace tapedeck::proxy {

/// The values that identify a client's session.
struct ClientSession {
  std::string id, csrf_token, device_id;
};

/// Is placed between the device and a recorder, which receives and stores the client's values. Call it on the loop's
/// thread.
///
/// Forwards requests without a session unchanged. Decompresses responses in which values are exchanged. Exchanges
/// values in live responses piece by piece. In these, compressed data, and values that are encoded and split between
/// pieces, keep the device's values. In stored responses, all values are exchanged.
class ExchangedDevice {
 public:
  /// `device` and `session` must outlive it. `base_path` is the base path of the device. Responses that decode to more
  /// than `most_unpacked` bytes stay unchanged.
  ExchangedDevice(Device& device, DeviceSession& session, std::string base_path, std::size_t most_unpacked);

  /// Does the same as Device::forward() for a client with this session. If no session can be opened, the client gets an
  /// error and `client` is not called.
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

/// The device from the point of view of one client.
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
