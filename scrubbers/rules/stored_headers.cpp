#include "scrubbers/rules/stored_headers.h"

#include <algorithm>
#include <array>
#include <string>

#include "api/identity_headers.h"
#include "base/text.h"
#include "http/message/hop_by_hop.h"

namespace tapedeck::scrubbers {
namespace {

bool is_stored_in_requests(std::string_view name) {
  static constexpr std::array<std::string_view, 11> names{
      "content-type", "cookie",      "origin",        "referer", "user-agent", "x-requested-with",
      "x-syno-token", "x-syno-hash", "authorization", "range",   "upgrade"};
  const bool family = name.starts_with("accept") || name.starts_with("if-") || name.starts_with("sec-fetch-") ||
                      name == "sec-websocket-protocol";
  return family || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

http::Headers stored_request_headers(const http::Headers& headers) {
  http::Headers stored;
  for (const http::Header& line : headers) {
    const bool is_stored = is_stored_in_requests(base::fold(line.name)) || !api::is_never_identity(line.name);
    if (is_stored) stored.add(line.name, line.value);
  }
  return stored;
}

http::Headers stored_answer_headers(const http::Headers& headers) {
  http::Headers stored = headers;
  http::remove_hop_by_hop(stored);
  for (const std::string_view name : {"Content-Encoding", "Content-Length", "Date", "Sec-WebSocket-Accept"}) {
    stored.erase(name);
  }
  // The device may be a replay, which describes its responses in these headers.
  stored.erase_if([](const http::Header& line) { return http::is_our_own(line.name); });
  return stored;
}

http::Headers safe_headers(const http::Headers& headers) {
  http::Headers safe;
  if (const auto type = headers.first("Content-Type")) safe.add("Content-Type", *type);
  return safe;
}

}  // namespace tapedeck::scrubbers
