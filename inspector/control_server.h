#pragma once
// The control API on a port of its own, over cpp-httplib (docs/control-api.md).

#include <cstdint>
#include <memory>
#include <string>

#include "http/message/url.h"
#include "inspector/routes.h"

namespace tapedeck::inspector {

/// Listens from construction to destruction, on threads of its own: a request that waits or a slow client never touches
/// the data port. One request a connection; bodies of at most 64 KiB, 4 MiB where overlays are posted; what
/// inspector/guard.h refuses has no effect.
class ControlServer {
 public:
  static constexpr std::size_t largest_body = 4u << 20;

  /// `page`: serve the page, too. Throws std::invalid_argument for an address that is not loopback, std::runtime_error
  /// when it cannot listen.
  ControlServer(const http::Endpoint& listen, Subject subject, bool page = false);
  /// Ends the waits of the subject's journal.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  [[nodiscard]] std::string url() const;  ///< "http://127.0.0.1:40123"
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const std::string& token() const;
  /// The page's link: its token stands behind the `#`, which browsers send to nobody. Empty without the page.
  [[nodiscard]] std::string page_link() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::inspector
