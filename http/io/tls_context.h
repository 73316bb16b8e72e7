#pragma once
// TLS settings as the .cpp files of http/ use them; Asio and OpenSSL stay in those.

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

/// A listener's or a relay's TLS settings, TLS 1.2 and up. The constructors throw std::runtime_error with one clear
/// line when a file cannot be used.
class TlsContext {
 public:
  explicit TlsContext(const ServerTls& options);
  explicit TlsContext(ClientTls options);
  ~TlsContext();

  [[nodiscard]] boost::asio::ssl::context& context() { return *context_; }

  /// Client side, before the handshake: server name indication, and the name or address that the certificate must have.
  /// False for a host that cannot be checked: then there is no handshake. "10.1" is a name, as in RFC 6125, even where
  /// the resolver takes it for an address.
  [[nodiscard]] bool prepare(ssl_st* connection, std::string host) const;
  /// Client side, after the handshake and before any byte of a request: nothing when the certificate is good, or else
  /// why not, with the fingerprint seen and what to do.
  [[nodiscard]] std::optional<std::string> judge(ssl_st* connection) const;

 private:
  ClientTls client_;
  std::unique_ptr<boost::asio::ssl::context> context_;
};

/// SHA-256, lower-case hex. Throws std::runtime_error.
[[nodiscard]] std::string fingerprint(x509_st* certificate);

}  // namespace tapedeck::http
