#pragma once
// cpp-httplib behind a reader of our own. Read by itself, it has no longest line and no most header lines
// (CVE-2025-53628), and it drops headers without a value, so that an empty Origin would pass for none.

#include <httplib.h>

#include <functional>

#include "http/io/limits.h"
#include "http/message/message.h"
#include "inspector/guard.h"

namespace tapedeck::inspector {

/// Takes one request a connection and reads it whole, strictly (http/message/head_scanner.h) and within limits. The
/// library gets its bytes only when the judge lets it pass; anything else is answered and closed here. Its limits for
/// keep-alive, reading, writing and bodies have no effect.
class GuardedServer : public httplib::Server {
 public:
  /// Decides from a request's head, before its body is read. Called from several threads.
  using Judge = std::function<Refusal(const http::Request& head)>;

  /// Of the limits those of a request count; `head_time` is for all of it, its body included.
  GuardedServer(const http::Limits& limits, Judge judge) : limits_(limits), judge_(std::move(judge)) {}

 private:
  bool process_and_close_socket(socket_t socket) override;

  http::Limits limits_;
  Judge judge_;
};

}  // namespace tapedeck::inspector
