#pragma once
// A device that knows one session, behind clients that each have one of their own (toolkit §3): ids, CSRF tokens and
// device ids are exchanged both ways, and a session that the device has ended is opened again before the client hears
// of it.

#include <functional>
#include <memory>
#include <string>

#include "http/server/exchange.h"
#include "proxy/device_session.h"
#include "proxy/seams.h"
#include "scrubbers/counterparts.h"

namespace tapedeck::proxy {

/// What a client knows its session by, whoever minted it.
struct ClientSession {
  std::string id, csrf_token, device_id;
};

/// Between the recorder, which sees and stores what the client sent and gets, and the device. For the loop's thread.
///
/// A request that carries no session is passed on as it is. A packed answer in which something is exchanged goes on
/// unpacked. An answer that is passed on live is exchanged piece by piece: there a packed one, and a value that is
/// encoded and cut in two, stays as the device wrote it. What is stored is exchanged whole.
class ExchangedDevice : public Device {
 public:
  /// Both must outlive it. `base_path` is the device's; an answer that unpacks to more than `most_unpacked` bytes stays
  /// as it is.
  ExchangedDevice(Device& device, DeviceSession& session, std::string base_path, std::size_t most_unpacked);

  /// Has the recorder handle an exchange; what it forwards before `handle` returns is that client's.
  void serve(const ClientSession& client, const std::function<void()>& handle);

  /// As Device; outside of serve() as it comes. Where there is no session to be had, the client is told so and `client`
  /// hears nothing.
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
