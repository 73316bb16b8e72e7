#pragma once
// A cpp-httplib server behind Tapedeck's own parser. The library limits neither the length nor the number of header
// lines (CVE-2025-53628), and it drops headers without a value, so it would accept an empty Origin.

#include <httplib.h>

#include <functional>

#include "http/io/limits.h"
#include "http/message/message.h"
#include "inspector/guard.h"

namespace tapedeck::inspector {

/// Reads one request per connection, strictly (http/message/head_scanner.h) and within limits. The library receives a
/// request only if the judge accepts it; other requests are refused here. The library's limits for keep-alive, reading,
/// writing, and bodies have no effect.
class GuardedServer : public httplib::Server {
 public:
  /// Decides from a request's head, before its body is read. Called from several threads.
  using Judge = std::function<Refusal(const http::Request& head)>;

  /// Uses the limits for requests; `head_time` is for the whole request, with its body.
  GuardedServer(const http::Limits& limits, Judge judge) : limits_(limits), judge_(std::move(judge)) {}

 private:
  bool process_and_close_socket(socket_t socket) override;

  http::Limits limits_;
  Judge judge_;
};

}  // namespace tapedeck::inspector
