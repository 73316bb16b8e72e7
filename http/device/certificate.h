#pragma once
// Reads the certificate of a device without sending a request.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/io/tls.h"
#include "http/message/url.h"

namespace tapedeck::http {

struct SeenCertificate {
  std::string subject;                         ///< the subject, as in "CN=nas.example, O=Example"; not trusted
  std::vector<std::string> names;              ///< DNS names and addresses for which it is valid
  std::int64_t not_before = 0, not_after = 0;  ///< seconds since the epoch
  std::string fingerprint;                     ///< SHA-256, lower-case hex
  bool names_host = false;                     ///< true if it is valid for the host
  std::optional<std::string> fault;            ///< why the options do not trust it; empty if they do
};

struct TlsLook {
  bool is_connected = false;
  std::optional<std::string> failure;  ///< why it could not connect or the handshake failed
  std::optional<SeenCertificate> certificate;
};

/// Connects and closes. Returns why it could not connect, or nothing. Blocks for at most `patience` for each address.
[[nodiscard]] std::optional<std::string> why_not_connected(const BaseUrl& device, std::chrono::milliseconds patience);

/// Connects, completes the handshake with any certificate, and closes. Blocks for at most `connecting` for each
/// address of the host, and for `answering` while the device sends nothing. Throws std::runtime_error if `options`
/// cannot be used.
[[nodiscard]] TlsLook look_at_tls(const BaseUrl& device, const ClientTls& options, std::chrono::milliseconds connecting,
                                  std::chrono::milliseconds answering);

}  // namespace tapedeck::http
