#pragma once
// Checks Host and Origin before a data port, so that a foreign web page cannot use a browser to read responses of a
// device or a cassette (DNS rebinding, cross-site requests), and adds CORS headers for allowed pages.

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
#include "http/server/origin.h"

namespace tapedeck::http {

struct GateOptions {
  Endpoint listen;                       ///< the listen address: a Host with this name is allowed
  std::vector<std::string> allow_hosts;  ///< --allow-host: names without port; "*" for any
  std::vector<OriginPattern> cors;       ///< --cors: origins whose pages may read responses
  /// Returns true for a request of a file of --serve. Called from any loop thread. Empty: there are none.
  std::function<bool(const Request& request)> is_page;
  /// Called for each refused request, from any loop thread. `line` says what was refused and names the option that
  /// would allow it; it contains what the client sent, unescaped. `is_new` is true once for each distinct line, for at
  /// most a hundred of them.
  std::function<void(const Request& request, const std::string& line, bool is_new)> on_refused;
};

/// Passes a request on to `next`, or returns 403 with an explanation. A Host is allowed if it is a loopback name or
/// address, the listen address, or in `allow_hosts`. An Origin is allowed if it is the request's own (same host and
/// port as Host; `localhost`, `127.0.0.1`, and `[::1]` count as one host) or in `cors`. A request that a browser marks
/// as coming from a page of another origin (`Sec-Fetch-Site: cross-site` or `same-site`) needs such an Origin, unless
/// it navigates to a served page: an image or a form on another port cannot change the device. Preflight requests are
/// handled here (204), and responses get CORS headers. `next` must outlive the gate.
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
    std::string_view why;  ///< for the client
    std::string line;      ///< for the log
  };
  [[nodiscard]] bool host_passes(std::string_view host) const;
  [[nodiscard]] Page page_of(const Request& request) const;
  [[nodiscard]] std::optional<Refused> why_not(const Request& request, Page page) const;
  void note(const Request& request, const std::string& line);

  GateOptions options_;
  Handler& next_;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mutex mutex_;
  std::unordered_set<std::string> lines_;  ///< different refusals; guarded by mutex_
};

}  // namespace tapedeck::http
