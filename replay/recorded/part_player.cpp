#include "replay/recorded/part_player.h"

#include "api/json_spans.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

std::optional<Reply> PartPlayer::answer(Visit& visit, ThreadState& thread) {
  const Resolution& asked = visit.asked();
  if (!asked.is_complete() || asked.kind() == CallKind::compound || asked.kind() == CallKind::login)
    return std::nullopt;
  for (const auto& deck : thread.decks) {
    if (auto reply = from_deck(visit, *deck)) return reply;
  }
  return std::nullopt;
}

std::optional<Reply> PartPlayer::from_deck(Visit& visit, Deck& deck) {
  constexpr std::size_t enough = 100;
  const api::RequestKey key = visit.key();
  for (const auto& compound : deck.reader().keys_of("Entry.Request", "request", enough)) {
    for (const auto& sequence : deck.reader().sequences(compound.text)) {
      if (!sequence.succeeded || sequence.count == 0) continue;
      const auto playable = deck.playable(sequence, 0);
      const auto recorded = api::Call::from(deck.recorded_request(*playable));
      const auto calls = recorded ? recorded->parts() : std::nullopt;
      if (!calls) continue;
      const std::string body = playable->body_for(visit.session());
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
