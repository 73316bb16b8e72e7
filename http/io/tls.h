#pragma once
// TLS on both sides as values; TLS 1.2 and up.

#include <optional>
#include <string>

namespace tapedeck::http {

/// How the device's certificate is judged. Nothing set: the system's CAs and the host name.
struct ClientTls {
  bool insecure = false;                  ///< --insecure: accept anything
  std::optional<std::string> ca_file;     ///< --ca-file: these CAs and the host name
  std::optional<std::string> pin_sha256;  ///< --pin-sha256: hex of the leaf's SHA-256 fingerprint, nothing else counts
};

/// A listener's certificate chain and key, PEM files.
struct ServerTls {
  std::string cert_file;
  std::string key_file;
};

/// Makes a self-signed certificate (P-256, for localhost, 127.0.0.1, ::1 and `host`) in `folder` unless one is kept
/// there already; the key file has mode 0600. Two that do so at once get the same pair. Throws std::runtime_error.
[[nodiscard]] ServerTls self_signed(const std::string& folder, const std::string& host);
/// The SHA-256 fingerprint of a certificate file, lower-case hex.
[[nodiscard]] std::string certificate_fingerprint(const std::string& cert_file);

}  // namespace tapedeck::http
