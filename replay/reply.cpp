#include "replay/reply.h"

namespace tapedeck::replay {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::recorded:
      return "recorded";
    case Outcome::overlay:
      return "overlay";
    case Outcome::builtin:
      return "builtin";
    case Outcome::fallback:
      return "fallback";
    case Outcome::miss:
      return "miss";
  }
  return "";
}

Reply Reply::json(Outcome outcome, std::string body, int status) {
  Reply reply;
  reply.outcome = outcome;
  reply.response.status = status;
  reply.response.reason = http::reason_phrase(status);
  reply.response.headers.add("Content-Type", api::json_content_type);
  reply.response.headers.add("X-Tapedeck-Outcome", to_string(outcome));
  reply.response.body = std::move(body);
  return reply;
}

Reply Reply::error(Outcome outcome, api::ErrorCode code) { return json(outcome, api::error_envelope(code)); }

std::string Reply::body() const {
  if (!prepared) return response.body;
  std::string body;
  for (const std::string_view piece : prepared->pieces) body += piece;
  return body;
}

}  // namespace tapedeck::replay
