#pragma once
// Who may use the control API, decided from a request's head alone, before its body is read.

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::inspector {

struct Refusal {
  int status = 0;  ///< 0: it may pass
  std::string text;
  std::string allow;  ///< with 405: the method that the path has
};

/// Whom a control port lets pass.
struct Access {
  std::uint16_t port = 0;  ///< its own
  std::string_view token;
  bool page = false;  ///< it serves the page (--ui)
};

/// A request passes when all of this holds; otherwise the first that does not gives its status:
/// - one Host, which is a loopback name or address with our port (403): no name that a stranger can bind to us;
/// - no Origin but our own, `http://` and that Host, and no Sec-Fetch-Site but none or same-origin (403): no page from
///   elsewhere;
/// - it asks for a file of the page, which needs no token, with GET (405) and without a query (404); or
/// - exactly one token, in `Authorization: Bearer` or `X-Tapedeck-Token`, and the right one (401);
/// - a path, written plainly (404), and a method (405) of the API;
/// - no coding of the transfer (411), and for POST `Content-Type: application/json`, no coding of the body (415) and a
///   length (411).
[[nodiscard]] Refusal check(const http::Request& head, const Access& access);

}  // namespace tapedeck::inspector
