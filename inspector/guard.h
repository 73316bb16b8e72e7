#pragma once
// Who may use the control API, decided from a request's head alone, before its body is read.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::inspector {

/// A control request as its head shows it.
struct ControlHead {
  std::string method;
  std::string path;                                          ///< decoded, without the query
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in any case

  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
};

struct Refusal {
  int status = 0;  ///< 0: it may pass
  std::string text;
  std::string allow;  ///< with 405: the method that the path has
};

/// A request passes when all of this holds; otherwise the first that does not gives its status:
/// - one Host, which is a loopback name or address with our port (403): no name that a stranger can bind to us;
/// - no Origin, and no Sec-Fetch-Site but none or same-origin (403): no page in a browser;
/// - exactly one token, in `Authorization: Bearer` or `X-Tapedeck-Token`, and the right one (401);
/// - a path (404) and a method (405) of the API;
/// - for POST `Content-Type: application/json` and no coding of the body or the transfer (415, 411).
[[nodiscard]] Refusal check(const ControlHead& head, std::uint16_t port, std::string_view token);

}  // namespace tapedeck::inspector
