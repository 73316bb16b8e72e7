#pragma once
// A device that cannot be changed through this: what WriteGuard does not call a read is not sent to it.

#include <memory>
#include <string>

#include "proxy/seams.h"

namespace tapedeck::proxy {

/// Error 105 with X-Tapedeck-Blocked: write.
[[nodiscard]] http::Response write_refusal();

/// Stands directly in front of the connections, so that what it judges is what would be sent, after every exchange of
/// values. For the loop's thread.
class ReadOnlyDevice final : public Device {
 public:
  /// `device` must outlive it. `base_path` is the device's.
  ReadOnlyDevice(Device& device, std::string base_path) : device_(device), base_path_(std::move(base_path)) {}

  /// Passes a read on. Anything else, and a request whose body is not there whole, is answered here with
  /// write_refusal(); `client` hears nothing of it.
  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool is_read,
               std::shared_ptr<http::RelayClient> client) override;

 private:
  Device& device_;
  const std::string base_path_;
};

}  // namespace tapedeck::proxy
