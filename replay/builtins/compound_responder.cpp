#include "replay/builtins/compound_responder.h"

#include <algorithm>

#include "api/json_spans.h"
#include "replay/builtins/device_knowledge.h"
#include "replay/delivery.h"

namespace tapedeck::replay {
namespace {

// A compound of more parts is no client's.
constexpr std::size_t most_parts = 256;

bool is_true(const api::Call& call, std::string_view param) {
  const std::string value = api::canonical_value(call.value(param).value_or(""));
  return value == "true" || value == "1";
}

struct Part {
  std::string text;  ///< {"api":…,"data":…,"method":…,"success":true,"version":1}
  bool success = false;
};

/// An answer that is no envelope stands in the compound as the error that devices give: 100.
Part part_of(const api::Call& call, const std::string& body) {
  const auto verdict = api::verdict(body);
  Part part;
  part.success = verdict && verdict->success;
  const auto data = api::json_member(body, "data");
  const auto error = api::json_member(body, "error");
  part.text = "{\"api\":" + api::json_quoted(call.api());
  if (part.success && data) part.text.append(",\"data\":").append(*data);
  if (!part.success) part.text.append(",\"error\":").append(verdict && error ? *error : "{\"code\":100}");
  part.text.append(",\"method\":").append(api::json_quoted(call.method()));
  part.text.append(",\"success\":").append(part.success ? "true" : "false");
  const auto version = version_number(call.version());
  part.text.append(",\"version\":").append(version ? std::to_string(*version) : api::json_quoted(call.version()));
  part.text += "}";
  return part;
}

}  // namespace

/// Asked before any of them is played: nothing of a compound that goes on whole may have moved a cursor.
bool CompoundResponder::are_recorded(const Visit& visit, const std::vector<api::Call>& calls,
                                     ThreadState& thread) const {
  std::uint32_t place = 0;
  return std::all_of(calls.begin(), calls.end(), [&](const api::Call& call) {
    Visit part(visit, call, place++);
    return player_->has(part, thread);
  });
}

std::optional<Reply> CompoundResponder::answer(Visit& visit, ThreadState& thread) {
  if (visit.asked().kind() != CallKind::compound || !visit.asked().is_complete()) return std::nullopt;
  const api::Call& call = *visit.asked().call();
  auto calls = call.parts();
  if (player_ != nullptr && (!calls || !are_recorded(visit, *calls, thread))) return std::nullopt;
  if (!calls) return Reply::error(Outcome::builtin, api::ErrorCode::parameter_missing);
  if (calls->size() > most_parts) return Reply::error(Outcome::builtin, api::ErrorCode::invalid_parameter);
  const bool stops = is_true(call, "stop_when_error");
  const bool is_sequential = api::canonical_value(call.value("mode").value_or("")) != "parallel";
  std::string result;
  bool has_fail = false;
  Outcome outcome = Outcome::builtin;
  std::string miss;
  std::unique_ptr<Handwork> handwork;
  for (std::uint32_t place = 0; place < calls->size() && !(has_fail && stops); ++place) {
    Visit part_visit(visit, std::move((*calls)[place]), place);
    const auto reply = parts_.answer(part_visit, thread);
    if (!reply) return std::nullopt;
    if (reply->outcome == Outcome::miss) {
      outcome = Outcome::miss;
      miss = reply->response.headers.first("X-Tapedeck-Miss").value_or("");
    }
    if (reply->handwork) {
      if (!handwork) handwork = std::make_unique<Handwork>();
      take_over(*handwork, *reply->handwork, is_sequential);
    }
    const Part part = part_of(*part_visit.asked().call(), reply->body());
    result.append(result.empty() ? "" : ",").append(part.text);
    has_fail = has_fail || !part.success;
  }
  Reply reply = Reply::json(outcome, api::success_envelope("{\"has_fail\":" + std::string(has_fail ? "true" : "false") +
                                                           ",\"result\":[" + result + "]}"));
  if (!miss.empty()) reply.response.headers.add("X-Tapedeck-Miss", "a part of the compound: " + miss);
  if (handwork) reply.response.headers.add("X-Tapedeck-Overlay", handwork->names);
  reply.handwork = std::move(handwork);
  return reply;
}

}  // namespace tapedeck::replay
