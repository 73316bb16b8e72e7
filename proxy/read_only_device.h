#pragma once
// Forwards only reads (WriteGuard) to a device.

#include <memory>
#include <string>

#include "proxy/recorder_backend.h"

namespace tapedeck::proxy {

/// Returns error 105 with X-Tapedeck-Blocked: write.
[[nodiscard]] http::Response write_refusal();

/// Must be directly before the connections, so that it checks the bytes that are sent, after every exchange of values.
/// Call it on the loop's thread.
class ReadOnlyDevice final : public Device {
 public:
  /// `device` must outlive it. `base_path` is the base path of the device.
  ReadOnlyDevice(Device& device, std::string base_path) : device_(device), base_path_(std::move(base_path)) {}

  /// Forwards a read. Other requests, and requests whose body is incomplete, get write_refusal(), and `client` is not
  /// called.
  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool is_read,
               std::shared_ptr<http::RelayClient> client) override;

 private:
  Device& device_;
  const std::string base_path_;
};

}  // namespace tapedeck::proxy
