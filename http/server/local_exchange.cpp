#include "http/server/local_exchange.h"

namespace tapedeck::http {

void LocalExchange::respond(Response response) {
  response_ = std::move(response);
  ++answers_;
}

void LocalExchange::respond(const PreparedReply& reply) {
  response_ = as_response(reply);
  was_prepared_ = true;
  ++answers_;
}

}  // namespace tapedeck::http
