#include "http/server/local_exchange.h"

#include <charconv>

namespace tapedeck::http {

void LocalExchange::respond(Response response) {
  response_ = std::move(response);
  ++answers_;
}

void LocalExchange::respond(const PreparedReply& reply) {
  const std::size_t line_end = reply.head.find("\r\n");
  const std::string_view status_line = reply.head.substr(0, line_end);
  constexpr std::size_t status_at = std::string_view("HTTP/1.1 ").size();
  response_ = {};
  if (status_line.size() >= status_at + 3) {
    std::from_chars(status_line.data() + status_at, status_line.data() + status_at + 3, response_.status);
    response_.reason = status_line.substr(std::min(status_line.size(), status_at + 4));
  }
  response_.headers = Headers::from_text(reply.head.substr(line_end + 2));
  for (const std::string_view piece : reply.pieces) response_.body += piece;
  was_prepared_ = true;
  ++answers_;
}

}  // namespace tapedeck::http
