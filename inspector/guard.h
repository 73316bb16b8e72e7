#pragma once
// Decides whether a control request is allowed, from its head alone, before its body is read.

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::inspector {

struct Refusal {
  int status = 0;  ///< 0 if the request is allowed
  std::string text;
  std::string allow;  ///< with 405: the methods of the path
};

/// The properties of a control port.
struct Access {
  std::uint16_t port = 0;  ///< the port of the control API
  std::string_view token;
  bool page = false;  ///< true if it serves the page (--page)
};

/// Returns the status of the first requirement that fails:
/// - one Host, a loopback name or address with the control port (403), against DNS rebinding;
/// - no Origin except `http://` and that Host, and no Sec-Fetch-Site except none or same-origin (403), against requests
///   from other web pages;
/// - for a file of the page, which needs no token: GET (405) and no query (404); otherwise
/// - exactly one token, in `Authorization: Bearer` or `X-Tapedeck-Token`, which is correct (401);
/// - a path of the API without escapes (404), and a method that it accepts (405);
/// - no transfer coding (411), and for POST `Content-Type: application/json`, no coding of the body (415), and a
///   length (411).
[[nodiscard]] Refusal check(const http::Request& head, const Access& access);

/// Compares tokens in constant time. Only the length of `given` influences the time.
[[nodiscard]] bool same_token(std::string_view given, std::string_view token);

}  // namespace tapedeck::inspector
