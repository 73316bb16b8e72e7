#include "replay/builtins/compound_responder.h"

#include <algorithm>

#include "replay/builtins/compound_answer.h"
#include "replay/delivery.h"

namespace tapedeck::replay {
namespace {

bool is_true(const api::Call& call, std::string_view param) {
  const std::string value = api::canonical_value(call.value(param).value_or(""));
  return value == "true" || value == "1";
}

}  // namespace

/// Asked before any of them is played: nothing of a compound that goes on whole may have moved a cursor.
bool CompoundResponder::are_recorded(Visit& visit, const std::vector<api::Call>& calls, ThreadState& thread) const {
  std::uint32_t place = 0;
  return std::all_of(calls.begin(), calls.end(), [&](const api::Call& call) {
    if (visit.parts) {
      Visit& part = (*visit.parts)[place++];
      return part.overlay_reply != nullptr || player_->has(part, thread);
    }
    Visit part(visit, call, place++);
    return player_->has(part, thread);
  });
}

std::optional<Reply> CompoundResponder::answer(Visit& visit, ThreadState& thread) {
  if (visit.asked().kind() != CallKind::compound || !visit.asked().is_complete()) return std::nullopt;
  if (visit.notes.is_recorded()) return std::nullopt;
  const api::Call& call = *visit.asked().call();
  auto calls = call.parts();
  if (player_ != nullptr && (!calls || !are_recorded(visit, *calls, thread))) return std::nullopt;
  if (!calls) return Reply::error(Outcome::builtin, api::ErrorCode::parameter_missing);
  if (calls->size() > most_compound_parts) return Reply::error(Outcome::builtin, api::ErrorCode::invalid_parameter);
  const auto asked = std::exchange(visit.parts, nullptr);
  const bool stops = is_true(call, "stop_when_error");
  std::vector<CompoundPart> parts;
  Outcome outcome = Outcome::builtin;
  std::string miss;
  std::unique_ptr<Handwork> handwork;
  std::size_t bytes = 0;
  bool is_derived = false, by_builtin_effect = false;
  for (std::uint32_t place = 0; place < calls->size(); ++place) {
    if (stops && !parts.empty() && !parts.back().success) break;
    Visit part_visit = asked ? std::move((*asked)[place]) : Visit(visit, std::move((*calls)[place]), place);
    const auto reply = parts_.answer(part_visit, thread);
    if (!reply) return std::nullopt;
    bytes += reply->body_bytes();
    if (bytes > longest_compound_answer) return Reply::error(Outcome::builtin, api::ErrorCode::invalid_parameter);
    is_derived = is_derived || reply->outcome == Outcome::derived;
    by_builtin_effect = by_builtin_effect || reply->by_builtin_effect;
    if (reply->outcome == Outcome::miss) {
      outcome = Outcome::miss;
      miss = reply->response.headers.first("X-Tapedeck-Miss").value_or("");
    }
    if (reply->handwork) {
      if (!handwork) handwork = std::make_unique<Handwork>();
      take_over(*handwork, *reply->handwork, is_sequential(call));
    }
    parts.push_back(compound_part(*part_visit.asked().call(), reply->body()));
  }
  if (is_derived && outcome != Outcome::miss) outcome = Outcome::derived;
  Reply reply = Reply::json(outcome, compound_answer(parts));
  reply.by_builtin_effect = outcome == Outcome::derived && by_builtin_effect;
  if (!miss.empty()) reply.response.headers.add("X-Tapedeck-Miss", "part of a compound request: " + miss);
  if (handwork) reply.response.headers.add("X-Tapedeck-Overlay", handwork->names);
  reply.handwork = std::move(handwork);
  return reply;
}

}  // namespace tapedeck::replay
