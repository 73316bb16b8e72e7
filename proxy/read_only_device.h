#pragma once
// Forwards only reads (WriteGuard) to a device.

#include <memory>
#include <string>

#include "proxy/seams.h"

namespace tapedeck::proxy {

/// Returns error 105 with X-Tapedeck-Blocked: write.
[[nodiscard]] http::Response write_refusal();

/// Directly before the connections, so that it judges the bytes that would be sent, after every exchange of values. For
/// the loop's thread.
class ReadOnlyDevice final : public Device {
 public:
  /// `device` must outlive it. `base_path` is the device's.
  ReadOnlyDevice(Device& device, std::string base_path) : device_(device), base_path_(std::move(base_path)) {}

  /// Forwards a read. Other requests, and those whose body is incomplete, get write_refusal(); `client` is not called.
  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool is_read,
               std::shared_ptr<http::RelayClient> client) override;

 private:
  Device& device_;
  const std::string base_path_;
};

}  // namespace tapedeck::proxy
