#include "replay/reply.h"

#include <utility>

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

Handwork& Reply::by_hand() {
  if (!handwork) handwork = std::make_unique<Handwork>();
  return *handwork;
}

void Reply::to_response() {
  if (!prepared) return;
  response = whole();
  prepared.reset();
}

http::Response Reply::whole() const { return prepared ? http::as_response(*prepared) : response; }

void Reply::add_header(std::string_view name, std::string_view value) {
  if (!prepared) return response.headers.add(name, value);
  using KeptHead = std::pair<std::string, std::shared_ptr<const void>>;
  std::string head(prepared->head);
  head.append(name).append(": ").append(value).append("\r\n");
  const auto kept = std::make_shared<const KeptHead>(std::move(head), prepared->owner);
  prepared = http::PreparedReply{kept->first, prepared->pieces, kept};
}

void Reply::set_outcome(Outcome now) {
  to_response();
  outcome = now;
  response.headers.set("X-Tapedeck-Outcome", to_string(now));
}

std::string Reply::body() const {
  if (!prepared) return response.body;
  std::string body;
  for (const std::string_view piece : prepared->pieces) body += piece;
  return body;
}

}  // namespace tapedeck::replay
