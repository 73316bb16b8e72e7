#include "cli/local_exchange.h"

#include <charconv>

namespace tapedeck::cli {

void LocalExchange::respond(const http::PreparedReply& reply) {
  const std::size_t line_end = reply.head.find("\r\n");
  const std::string_view status_line = reply.head.substr(0, line_end);
  constexpr std::size_t status_at = std::string_view("HTTP/1.1 ").size();
  if (status_line.size() >= status_at + 3) {
    std::from_chars(status_line.data() + status_at, status_line.data() + status_at + 3, answer_.status);
    answer_.reason = status_line.substr(std::min(status_line.size(), status_at + 4));
  }
  answer_.headers = http::Headers::from_text(reply.head.substr(line_end + 2));
  answer_.body.clear();
  for (const std::string_view piece : reply.pieces) answer_.body += piece;
}

}  // namespace tapedeck::cli
