#include "http/server/exchange.h"

#include <algorithm>
#include <charconv>

namespace tapedeck::http {

Response as_response(const PreparedReply& reply) {
  const std::size_t line_end = reply.head.find("\r\n");
  const std::string_view status_line = reply.head.substr(0, line_end);
  constexpr std::size_t status_at = std::string_view("HTTP/1.1 ").size();
  Response response;
  if (status_line.size() >= status_at + 3) {
    std::from_chars(status_line.data() + status_at, status_line.data() + status_at + 3, response.status);
    response.reason = status_line.substr(std::min(status_line.size(), status_at + 4));
  }
  response.headers = Headers::from_text(reply.head.substr(line_end + 2));
  for (const std::string_view piece : reply.pieces) response.body += piece;
  return response;
}

PreparedReply with_head(const PreparedReply& reply, std::string head) {
  using Kept = std::pair<std::string, std::shared_ptr<const void>>;
  const auto kept = std::make_shared<const Kept>(std::move(head), reply.owner);
  return {kept->first, reply.pieces, kept};
}

}  // namespace tapedeck::http
