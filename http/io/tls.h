#pragma once
// Defines TLS settings of both sides (TLS 1.2 and newer).

#include <optional>
#include <string>

namespace tapedeck::http {

/// How the device's certificate is checked. The default is the system's CAs and the host name.
struct ClientTls {
  bool insecure = false;                  ///< --insecure: accepts any certificate
  std::optional<std::string> ca_file;     ///< --ca-file: these CAs, and the host name
  std::optional<std::string> pin_sha256;  ///< --pin-sha256: only a certificate with this SHA-256 fingerprint (hex)
};

/// A listener's certificate chain and key as PEM files.
struct ServerTls {
  std::string cert_file;
  std::string key_file;
};

/// Returns the self-signed certificate in `folder`. If there is none, generates it first (P-256, for localhost,
/// 127.0.0.1, ::1, and `host`; the key file has mode 0600). Safe if two processes call it at the same time. Throws
/// std::runtime_error.
[[nodiscard]] ServerTls self_signed(const std::string& folder, const std::string& host);
/// Returns the SHA-256 fingerprint of a certificate file in lower-case hex.
[[nodiscard]] std::string certificate_fingerprint(const std::string& cert_file);
/// Returns a text such as "OpenSSL 3.0.17 1 Jul 2025".
[[nodiscard]] std::string tls_library();

}  // namespace tapedeck::http
