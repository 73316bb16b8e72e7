#pragma once
// Recognizes headers that describe a connection or a server instead of the message.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// Returns true for Connection, Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade, and Proxy-… (RFC 9110 §7.6.1).
[[nodiscard]] bool is_hop_by_hop(std::string_view name);
/// Removes these headers, and those that Connection lists.
void remove_hop_by_hop(Headers& headers);

/// Returns true for headers that only the server itself sets or removes, in every response: hop-by-hop headers,
/// Content-Length, and Strict-Transport-Security and Alt-Svc, because a browser that receives these from localhost
/// would refuse other servers there for months (docs/replay.md, "Details of HTTP").
[[nodiscard]] bool is_servers_own(std::string_view name);
/// Returns true for X-Tapedeck-…, which Tapedeck and its clients use. Such headers are neither sent to the device nor
/// accepted from it.
[[nodiscard]] bool is_our_own(std::string_view name);

}  // namespace tapedeck::http
