#pragma once
// Header lines that speak of one connection or one server and not of the message.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::http {

/// Connection, Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade and Proxy-… (RFC 9110 §7.6.1).
[[nodiscard]] bool is_hop_by_hop(std::string_view name);
/// Takes those out, and what Connection lists.
void remove_hop_by_hop(Headers& headers);

/// Strict-Transport-Security and Alt-Svc: a browser that gets them from a stand-in at localhost keeps away from all
/// that is served there for months (docs/replay.md, "Details of HTTP").
[[nodiscard]] bool binds_browsers(std::string_view name);
/// X-Tapedeck-…: said between our own programs and their clients, and nothing of the device's.
[[nodiscard]] bool is_our_own(std::string_view name);

}  // namespace tapedeck::http
