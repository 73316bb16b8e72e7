#include "replay/builtins/compound_responder.h"

#include "api/json_spans.h"
#include "replay/builtins/device_knowledge.h"

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

std::optional<Reply> CompoundResponder::answer(Asked& asked, ThreadState& thread) {
  const api::Call* const call = asked.call();
  if (call == nullptr || !call->is_compound() || !call->complete() || asked.is_part()) return std::nullopt;
  const auto calls = call->parts();
  if (!calls) return Reply::error(Outcome::builtin, api::ErrorCode::parameter_missing);
  if (calls->size() > most_parts) return Reply::error(Outcome::builtin, api::ErrorCode::invalid_parameter);
  std::string result;
  bool has_fail = false;
  Outcome outcome = Outcome::builtin;
  std::string miss;
  for (const api::Call& one : *calls) {
    Asked part_asked(asked, one);
    const Reply reply = answer_part_(part_asked, thread);
    if (reply.outcome == Outcome::miss) {
      outcome = Outcome::miss;
      miss = reply.response.headers.first("X-Tapedeck-Miss").value_or("");
    }
    const Part part = part_of(one, reply.body());
    result.append(result.empty() ? "" : ",").append(part.text);
    has_fail = has_fail || !part.success;
    if (has_fail && is_true(*call, "stop_when_error")) break;
  }
  Reply reply = Reply::json(outcome, api::success_envelope("{\"has_fail\":" + std::string(has_fail ? "true" : "false") +
                                                           ",\"result\":[" + result + "]}"));
  if (!miss.empty()) reply.response.headers.add("X-Tapedeck-Miss", "a part of the compound: " + miss);
  return reply;
}

std::optional<Reply> PartPlayer::answer(Asked& asked, ThreadState& thread) {
  const api::Call* const call = asked.call();
  if (call == nullptr || call->is_compound() || call->is_login() || !call->complete()) return std::nullopt;
  for (const auto& deck : thread.decks) {
    if (auto reply = from_deck(asked, *deck)) return reply;
  }
  return std::nullopt;
}

std::optional<Reply> PartPlayer::from_deck(Asked& asked, Deck& deck) {
  constexpr std::size_t enough = 100;
  const api::RequestKey key = asked.key(deck.policy(), sessions_);
  for (const auto& compound : deck.reader().keys_of("Entry.Request", "request", enough)) {
    for (const auto& sequence : deck.reader().sequences(compound.text)) {
      if (!sequence.succeeded || sequence.count == 0) continue;
      const auto playable = deck.playable(sequence, 0);
      const auto recorded = api::Call::from(deck.recorded_request(*playable));
      const auto calls = recorded ? recorded->parts() : std::nullopt;
      if (!calls) continue;
      const std::string body = playable->body_for(asked.session());
      const auto results =
          api::json_elements(api::json_member(api::json_member(body, "data").value_or(""), "result").value_or(""));
      for (std::size_t i = 0; results && i < results->size() && i < calls->size(); ++i) {
        const api::RequestKey part_key = deck.policy().key((*calls)[i]);
        if (part_key.with_label(key.api.label) != key.text) continue;
        const auto data = api::json_member((*results)[i], "data");
        const auto error = api::json_member((*results)[i], "error");
        Reply reply = Reply::json(Outcome::recorded, error ? "{\"error\":" + std::string(*error) + ",\"success\":false}"
                                                           : api::success_envelope(data.value_or("")));
        reply.response.headers.add("X-Tapedeck-Match", "part of a recorded compound");
        deck.played(*playable);
        reply.played = PlayedRecording{playable, 0, sequence.count, "part of a recorded compound"};
        return reply;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tapedeck::replay
