#include "cli/options/device_options.h"

#include <iostream>

#include "base/text.h"
#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "cli/options/certificate_pins.h"

namespace tapedeck::cli {
namespace {

std::optional<std::string> not_a_fingerprint(const std::string& hex) {
  std::string digits = hex;
  std::erase(digits, ':');
  if (digits.size() == 64 && base::is_hex(digits)) return std::nullopt;
  return "must be a SHA-256 fingerprint of 64 hex digits";
}

}  // namespace

void add_certificate_options(Command& command, DeviceOptions& options) {
  command.flag("--insecure", options.insecure, "Accept any device certificate (unsafe)")
      .exclude({"--ca-file", "--pin-sha256"});
  command.option("--ca-file", "FILE", existing_file(options.ca_file), "Trust the CA certificates in this PEM file")
      .exclude({"--pin-sha256"});
  command.option("--pin-sha256", "HEX", checked(into(options.pin_sha256), not_a_fingerprint),
                 "Accept only the device certificate with this SHA-256 fingerprint");
}

http::RelayOptions device_relay(const DeviceOptions& options, const std::string& url_name) {
  http::RelayOptions relay;
  try {
    relay.device = http::BaseUrl::parse(options.device);
  } catch (const std::invalid_argument& error) {
    // A URL with a user name may contain a password.
    const std::string shown = options.device.find('@') == std::string::npos ? " `" + options.device + "`" : "";
    throw UsageError(url_name + ": invalid device URL" + shown + ": " + error.what());
  }
  relay.tls.insecure = options.insecure;
  if (!options.ca_file.empty()) relay.tls.ca_file = options.ca_file;
  if (!options.pin_sha256.empty()) relay.tls.pin_sha256 = options.pin_sha256;
  const bool tls_options = options.insecure || !options.ca_file.empty() || !options.pin_sha256.empty();
  if (tls_options && !relay.device.tls)
    throw UsageError("--insecure, --ca-file, and --pin-sha256 require a device URL with https");
  if (options.insecure) {
    std::cerr << "tapedeck: warning: --insecure accepts any certificate, so another machine could pose as the device\n";
  }
  if (relay.device.tls && !tls_options) relay.tls.pin_sha256 = accepted_pin(relay.device);
  return relay;
}

}  // namespace tapedeck::cli
