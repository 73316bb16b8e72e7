#include "replay/recorded/reply.h"

#include <utility>

#include "replay/recorded/playable.h"

namespace tapedeck::replay {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::recorded:
      return "recorded";
    case Outcome::overlay:
      return "overlay";
    case Outcome::derived:
      return "derived";
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

Reply Reply::recorded(std::uint32_t cassette, http::PreparedReply prepared, Played played) {
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.cassette = cassette;
  reply.prepared = std::move(prepared);
  reply.played = std::move(played);
  return reply;
}

Reply Reply::error(Outcome outcome, api::ErrorCode code) { return json(outcome, api::error_envelope(code)); }

DeliveryPlan& Reply::plan() {
  if (!delivery) delivery = std::make_unique<DeliveryPlan>();
  return *delivery;
}

void Reply::to_head() {
  if (!prepared) return;
  if (prepared->pieces.size() == 1) {
    shared_body = http::SharedBytes{prepared->pieces.front(), prepared->owner};
    prepared->pieces = {};
  }
  response = http::as_response(*prepared);
  prepared.reset();
}

void Reply::to_response() {
  to_head();
  if (shared_body) set_body(body());
}

void Reply::set_body(std::string body) {
  to_head();
  shared_body.reset();
  response.body = std::move(body);
}

bool Reply::is_socket() const {
  return played && played->playable->status() == http::switching_protocols &&
         (prepared || response.status == http::switching_protocols);
}

http::Response Reply::whole() const {
  if (prepared) return http::as_response(*prepared);
  http::Response all = response;
  if (shared_body) all.body = shared_body->bytes;
  return all;
}

void Reply::add_header(std::string_view name, std::string_view value) {
  if (!prepared) return response.headers.add(name, value);
  std::string head(prepared->head);
  head.append(name).append(": ").append(value).append("\r\n");
  prepared = http::with_head(*prepared, std::move(head));
}

void Reply::set_outcome(Outcome now) {
  to_head();
  outcome = now;
  response.headers.set("X-Tapedeck-Outcome", to_string(now));
}

std::string Reply::body() const {
  std::string room;
  const std::string_view text = body_in(room);
  return room.empty() ? std::string(text) : room;
}

std::string_view Reply::body_in(std::string& room) const {
  if (shared_body) return shared_body->bytes;
  if (!prepared) return response.body;
  if (prepared->pieces.size() == 1) return prepared->pieces.front();
  room.reserve(body_bytes());
  for (const std::string_view piece : prepared->pieces) room += piece;
  return room;
}

std::size_t Reply::body_bytes() const {
  if (shared_body) return shared_body->bytes.size();
  if (!prepared) return response.body.size();
  std::size_t sum = 0;
  for (const std::string_view piece : prepared->pieces) sum += piece.size();
  return sum;
}

}  // namespace tapedeck::replay
