#pragma once
// Serves the control API on its own port, with cpp-httplib (docs/control-api.md).

#include <cstdint>
#include <memory>
#include <string>

#include "http/message/url.h"
#include "inspector/routes.h"

namespace tapedeck::inspector {

/// Listens from construction to destruction on its own threads, so waiting requests and slow clients do not affect the
/// data port. Accepts one request per connection and bodies of up to 64 KiB (4 MiB for overlays). Requests that
/// inspector/guard.h refuses have no effect.
class ControlServer {
 public:
  static constexpr std::size_t largest_body = 4u << 20;

  /// `page`: also serve the page. Throws std::invalid_argument for an address that is not loopback, and
  /// std::runtime_error if it cannot listen.
  ControlServer(const http::Endpoint& listen, Subject subject, bool page = false);
  /// Ends all waits for the journal.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  [[nodiscard]] std::string url() const;  ///< Returns a URL such as "http://127.0.0.1:40123".
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const std::string& token() const;
  /// Returns the link of the page, with the token after the `#`, which browsers do not send. Empty without the page.
  [[nodiscard]] std::string page_link() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::inspector
