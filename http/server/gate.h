#pragma once
// Who may ask at all: the check of Host and Origin in front of a data port, so that a web page elsewhere cannot use a
// browser to read a device's or a cassette's answers (DNS rebinding, cross-site requests), and CORS for those who may.

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
  Endpoint listen;                       ///< the address listened on: a Host of this name passes
  std::vector<std::string> allow_hosts;  ///< --allow-host: names without port; "*" for any
  std::vector<OriginPattern> cors;       ///< --cors: origins whose pages may read answers
  /// Returns true for a request that a file of --serve answers. Called from any loop thread; empty: there are none.
  std::function<bool(const Request& request)> is_page;
  /// Called for each refused request, from any loop thread. `line` says what was refused and names the option that
  /// would allow it; it contains what the client sent, unescaped. `is_new` is true once for each distinct line, for at
  /// most a hundred of them.
  std::function<void(const Request& request, const std::string& line, bool is_new)> on_refused;
};

/// Passes a request on to `next`, or answers 403 with a clear text. A Host passes when it is a loopback name or
/// address, the listen address, or allowed. An Origin passes when it is the request's own (same host and port as Host;
/// `localhost`, `127.0.0.1` and `[::1]` count as one host) or one of `cors`. A request that a browser marks as coming
/// from a page of another origin (`Sec-Fetch-Site: cross-site` or `same-site`) passes only with an Origin of another
/// origin that may ask, or if it navigates to a served page: an image or a form on another port cannot change the
/// device. Preflight requests of an origin that a browser takes for another one are answered here (204), and its
/// answers get the CORS lines. `next` must outlive the gate.
class Gate : public Handler {
 public:
  Gate(GateOptions options, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;
  /// How many requests it has refused. Any thread.
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  /// Which page asks.
  enum class Page {
    none,     ///< none that is known
    own,      ///< one of this very server
    let_in,   ///< one of another origin, which may ask
    foreign,  ///< one that may not
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
  std::unordered_set<std::string> lines_;  ///< distinct refusals; guarded by mutex_
};

}  // namespace tapedeck::http
