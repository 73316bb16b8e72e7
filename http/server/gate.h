#pragma once
// Who may ask at all: the check of Host and Origin in front of a data port, so that a web page elsewhere cannot use a
// browser to read a device's or a cassette's answers (DNS rebinding, cross-site requests), and CORS for those who may.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/url.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

struct GateOptions {
  Endpoint listen;                       ///< the address listened on: a Host of this name passes
  std::vector<std::string> allow_hosts;  ///< --allow-host: names without port; "*" for any
  std::vector<std::string> cors;  ///< --cors: origins ("http://localhost:3000") that may read answers; "*" for any
};

/// Passes a request on to `next`, or answers 403 with a clear text. A Host passes when it is a loopback name or
/// address, the listen address, or allowed. An Origin passes when it is the request's own (same host and port as Host)
/// or one of `cors`; `Sec-Fetch-Site: cross-site` passes only with an Origin of `cors`. Preflight requests of a `cors`
/// origin are answered here (204), and its answers get the CORS lines. `next` must outlive the gate.
class Gate : public Handler {
 public:
  Gate(GateOptions options, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;

 private:
  [[nodiscard]] bool host_passes(std::string_view host) const;
  [[nodiscard]] bool in_cors(std::string_view origin) const;
  [[nodiscard]] std::string_view why_not(const Request& request) const;

  GateOptions options_;
  Handler& next_;
};

}  // namespace tapedeck::http
