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

/// A request passes when all of this holds; otherwise the first that does not gives its status:
/// - one Host, which is a loopback name or address with our port (403): no name that a stranger can bind to us;
/// - no Origin, not even an empty one, and no Sec-Fetch-Site but none or same-origin (403): no page in a browser;
/// - exactly one token, in `Authorization: Bearer` or `X-Tapedeck-Token`, and the right one (401);
/// - a path, written plainly (404), and a method (405) of the API;
/// - no coding of the transfer (411), and for POST `Content-Type: application/json`, no coding of the body (415) and a
///   length (411).
[[nodiscard]] Refusal check(const http::Request& head, std::uint16_t port, std::string_view token);

}  // namespace tapedeck::inspector
