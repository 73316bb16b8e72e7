#pragma once
// Wraps TLS settings for the .cpp files of http/, without Asio and OpenSSL in the header.

#include <memory>
#include <optional>
#include <string>

#include "http/io/tls.h"

namespace boost::asio::ssl {
class context;
}
struct ssl_st;
struct x509_st;

namespace tapedeck::http {

/// TLS settings of a listener or relay (TLS 1.2 and newer). The constructors throw std::runtime_error if a file cannot
/// be used.
class TlsContext {
 public:
  explicit TlsContext(const ServerTls& options);
  explicit TlsContext(ClientTls options);
  ~TlsContext();

  [[nodiscard]] boost::asio::ssl::context& context() { return *context_; }

  /// Prepares a client connection for the handshake: sets the server name, and the name or address that the certificate
  /// must have. Returns false for a host that cannot be checked, so that no handshake takes place. "10.1" is a name, as
  /// in RFC 6125, even if the resolver reads it as an address.
  [[nodiscard]] bool prepare(ssl_st* connection, std::string host) const;
  /// Checks the certificate of a client connection, after the handshake and before the request. Returns nothing if it
  /// is accepted. Otherwise returns the reason, with the fingerprint and the remedy.
  [[nodiscard]] std::optional<std::string> judge(ssl_st* connection) const;

 private:
  ClientTls client_;
  std::unique_ptr<boost::asio::ssl::context> context_;
};

/// Returns a SHA-256 fingerprint in lower-case hex. Throws std::runtime_error.
[[nodiscard]] std::string fingerprint(x509_st* certificate);

}  // namespace tapedeck::http
