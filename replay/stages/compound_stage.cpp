#include <algorithm>

#include "replay/chain/thread_state.h"
#include "replay/recorded/player.h"
#include "replay/stages/answer.h"
#include "replay/stages/compound_answer.h"

namespace tapedeck::replay {
namespace {

bool is_true(const api::Call& call, std::string_view param) {
  const std::string value = api::canonical_value(call.value(param).value_or(""));
  return value == "true" || value == "1";
}

/// Checks all parts before any of them is replayed, because a compound that is passed on must not move a position.
bool are_recorded(RequestContext& context, const std::vector<api::Call>& calls, ThreadState& thread) {
  std::uint32_t place = 0;
  return std::all_of(calls.begin(), calls.end(), [&](const api::Call& call) {
    RequestContext part(context, call, place++);
    return Player::has(part.play_request(), thread.cassettes);
  });
}

}  // namespace

std::optional<Reply> answer_parts(const Services& services, RequestContext& context, ThreadState& thread) {
  if (context.parsed().kind() != CallKind::compound || !context.parsed().is_complete()) return std::nullopt;
  if (is_recorded(context.not_played)) return std::nullopt;
  const api::Call& call = *context.parsed().call();
  auto calls = call.parts();
  if (services.options.end != nullptr && (!calls || !are_recorded(context, *calls, thread))) return std::nullopt;
  if (!calls) return Reply::error(Outcome::builtin, api::ErrorCode::parameter_missing);
  if (calls->size() > most_compound_parts) {
    return Reply::error(Outcome::builtin, api::ErrorCode::invalid_parameter);
  }
  const bool stops = is_true(call, "stop_when_error");
  std::vector<CompoundPart> parts;
  Outcome outcome = Outcome::builtin;
  std::string miss;
  std::unique_ptr<DeliveryPlan> delivery;
  std::size_t bytes = 0;
  bool is_derived = false, by_builtin_effect = false;
  for (std::uint32_t place = 0; place < calls->size(); ++place) {
    if (stops && !parts.empty() && !parts.back().success) break;
    RequestContext part(context, std::move((*calls)[place]), place);
    const auto reply = answer(services, part, thread);
    if (!reply) return std::nullopt;
    bytes += reply->body_bytes();
    if (bytes > longest_compound_answer) {
      return Reply::error(Outcome::builtin, api::ErrorCode::invalid_parameter);
    }
    is_derived = is_derived || reply->outcome == Outcome::derived;
    by_builtin_effect = by_builtin_effect || reply->by_builtin_effect;
    if (reply->outcome == Outcome::miss) {
      outcome = Outcome::miss;
      miss = reply->response.headers.first("X-Tapedeck-Miss").value_or("");
    }
    if (reply->delivery) {
      if (!delivery) delivery = std::make_unique<DeliveryPlan>();
      take_over(*delivery, *reply->delivery, is_sequential(call));
    }
    parts.push_back(compound_part(*part.parsed().call(), reply->body()));
  }
  if (is_derived && outcome != Outcome::miss) outcome = Outcome::derived;
  Reply reply = Reply::json(outcome, compound_answer(parts));
  reply.by_builtin_effect = outcome == Outcome::derived && by_builtin_effect;
  if (!miss.empty()) reply.response.headers.add("X-Tapedeck-Miss", "part of a compound request: " + miss);
  if (delivery) reply.response.headers.add("X-Tapedeck-Overlay", delivery->names);
  reply.delivery = std::move(delivery);
  return reply;
}

}  // namespace tapedeck::replay
