#pragma once
// Checks Host and Origin for a data port, so that a foreign web page cannot use a browser to read responses of a device
// or a cassette (DNS rebinding, cross-site requests). Also adds CORS headers for allowed pages.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// An origin of web pages, such as "http://localhost:3000" (RFC 6454), in a unique spelling: lower case, without the
/// default port of the scheme.
struct Origin {
  std::string scheme;
  std::string host;  ///< an IPv6 address has brackets
  std::string port;  ///< empty for the default port
  bool operator==(const Origin&) const = default;
};

/// A value of --cors: an origin, one with any port ("http://localhost:*"), or "*" for all.
class OriginPattern {
 public:
  /// Throws std::invalid_argument with a text that follows the value in a message.
  [[nodiscard]] static OriginPattern parse(std::string_view text);
  /// Returns true if the pattern matches `origin`, the value of the Origin header.
  [[nodiscard]] bool fits(std::string_view origin) const;

 private:
  Origin origin_;
  bool any_ = false, any_port_ = false;
};

struct GateOptions {
  Endpoint listen;                       ///< the listen address: a Host with this name is allowed
  std::vector<std::string> allow_hosts;  ///< --allow-host: names without port; "*" for any
  std::vector<OriginPattern> cors;       ///< --cors: origins whose pages may read responses
  /// Returns true for a request of a file of --serve. Called from any loop thread. Empty without --serve.
  std::function<bool(const Request& request)> is_page;
  /// Called for each refused request, from any loop thread. `line` describes the refused request and names the option
  /// that would allow it. It contains text from the client, unescaped. `is_new` is true once for each distinct line,
  /// for at most a hundred of them.
  std::function<void(const Request& request, const std::string& line, bool is_new)> on_refused;
};

/// Passes a request on to `next`, or returns 403 with an explanation. A Host is allowed if it is a loopback name or
/// address, the listen address, or in `allow_hosts`. An Origin is allowed if it is the request's own origin (same host
/// and port as Host; `localhost`, `127.0.0.1`, and `[::1]` count as one host) or in `cors`. A browser marks requests
/// from pages of another origin (`Sec-Fetch-Site: cross-site` or `same-site`). Such a request needs an allowed Origin,
/// unless it navigates to a served page, because otherwise an image or a form on another port could change the device.
/// Preflight requests are handled here (204), and responses get CORS headers. `next` must outlive the gate.
class Gate : public Handler {
 public:
  Gate(GateOptions options, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;
  /// Returns the number of refused requests. Thread-safe.
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  /// The page that sent a request.
  enum class Page {
    none,     ///< unknown
    own,      ///< a page of this server
    let_in,   ///< a page of another origin, which is allowed
    foreign,  ///< a page of another origin, which is not allowed
  };
  struct Refused {
    std::string_view why;  ///< reason for the client
    std::string line;      ///< line for the log
  };
  [[nodiscard]] bool host_passes(std::string_view host) const;
  [[nodiscard]] Page page_of(const Request& request) const;
  [[nodiscard]] std::optional<Refused> why_not(const Request& request, Page page) const;
  void note(const Request& request, const std::string& line);

  GateOptions options_;
  Handler& next_;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mutex mutex_;
  std::unordered_set<std::string> lines_;  ///< distinct refusals; guarded by mutex_
};

}  // namespace tapedeck::http
