#include "cli/running/device_check.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>

#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/options/certificate_pins.h"
#include "http/device/certificate.h"

namespace tapedeck::cli {
namespace {

/// How long to wait for a device with plain HTTP to refuse a TLS handshake.
constexpr std::chrono::milliseconds shortest_look{1'000};

/// Throws the error. An empty `hint` is left out.
[[noreturn]] void fail_to_reach(const http::BaseUrl& device, const std::string& why, const std::string& hint) {
  throw std::runtime_error("cannot record " + device.origin() + ": " + why + (hint.empty() ? "" : "\nhint: ") + hint);
}

/// Returns the same address with the other scheme.
std::string other_url(http::BaseUrl device) {
  device.tls = !device.tls;
  return device.origin() + device.path;
}

/// Returns true if the port may use TLS. On loopback, only the usual https ports are tried, because tests and tunnels
/// use the others.
bool may_speak_tls(const http::BaseUrl& device) {
  return device.port == 443 || device.port == 5001 || !http::Endpoint{device.host, device.port}.is_loopback();
}

void check_plain_port(const http::RelayOptions& relay) {
  if (!may_speak_tls(relay.device)) {
    const auto why = http::why_not_connected(relay.device, relay.limits.connect_time);
    if (why) fail_to_reach(relay.device, *why, "check the host and the port of --device");
    return;
  }
  const http::ClientTls any{.insecure = true, .ca_file = {}, .pin_sha256 = {}};
  const http::TlsLook look = http::look_at_tls(relay.device, any, relay.limits.connect_time, shortest_look);
  if (!look.is_connected)
    fail_to_reach(relay.device, look.failure.value_or(""), "check the host and the port of --device");
  if (look.certificate) {
    fail_to_reach(relay.device, "the port speaks https, not http",
                  "use --device " + other_url(relay.device) + ", or the http port (often 5000)");
  }
}

bool is_accepted(const http::SeenCertificate& seen, const http::BaseUrl& device) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  std::cerr << device.origin() << ": " << printable(*seen.fault) << "\nThe certificate is for "
            << printable(seen.subject) << ".\nTrust this certificate? [y/N] " << std::flush;
  std::string reply;
  std::getline(std::cin, reply);
  return reply == "y" || reply == "Y" || reply == "yes";
}

void pin(http::RelayOptions& relay, const std::string& fingerprint) {
  relay.tls.pin_sha256 = fingerprint;
  const auto why = keep_pin(relay.device, fingerprint);
  if (why) log::warn("the certificate cannot be remembered in {}: {}", printable(state_path("pins")), *why);
}

void check_certificate(http::RelayOptions& relay, const http::SeenCertificate& seen) {
  if (!seen.fault) return;
  const bool is_pinned = relay.tls.pin_sha256.has_value();
  if (!is_pinned && !relay.tls.ca_file && is_accepted(seen, relay.device)) return pin(relay, seen.fingerprint);
  const bool is_own_pin = is_pinned && accepted_pin(relay.device) == relay.tls.pin_sha256;
  fail_to_reach(relay.device, *seen.fault,
                is_own_pin ? "you accepted another certificate earlier, which is kept in " + state_path("pins") : "");
}

}  // namespace

http::RelayOptions reached(http::RelayOptions relay) {
  if (!relay.device.tls) {
    check_plain_port(relay);
    return relay;
  }
  const auto patience = relay.limits.connect_time;
  const http::TlsLook look = http::look_at_tls(relay.device, relay.tls, patience, patience);
  if (!look.is_connected)
    fail_to_reach(relay.device, look.failure.value_or(""), "check the host and the port of --device");
  if (!look.certificate) {
    fail_to_reach(relay.device, "the port does not speak https (" + look.failure.value_or("") + ")",
                  "use --device " + other_url(relay.device) + ", or the https port (often 5001)");
  }
  check_certificate(relay, *look.certificate);
  return relay;
}

}  // namespace tapedeck::cli
