#pragma once
// Defines the options of every command that connects to a device, including those for its certificate.

#include <string>

#include "http/device/relay.h"

namespace tapedeck::cli {

class Command;

struct DeviceOptions {
  std::string device;  ///< base URL of the device
  bool insecure = false;
  std::string ca_file;
  std::string pin_sha256;
};

/// Adds the options that decide whether the device's certificate is accepted.
void add_certificate_options(Command& command, DeviceOptions& options);
/// Returns the options for connecting to the device. Without a certificate option, a certificate that the user accepted
/// earlier is pinned. Warns about --insecure on standard error. Throws UsageError, whose message calls the device's URL
/// `url_name`.
[[nodiscard]] http::RelayOptions device_relay(const DeviceOptions& options, const std::string& url_name);

}  // namespace tapedeck::cli
