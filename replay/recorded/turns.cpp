#include "replay/recorded/turns.h"

#include <algorithm>

namespace tapedeck::replay {
namespace {

class DeckPositions : public Positions {
 public:
  DeckPositions(Deck& deck, DeckSequence& sequence) : deck_(deck), sequence_(sequence) {}
  [[nodiscard]] std::uint32_t count() const override { return sequence_.count(); }
  [[nodiscard]] std::uint32_t segment(std::uint32_t turn) override {
    return deck_.segment(sequence_, sequence_.position(turn));
  }

 private:
  Deck& deck_;
  DeckSequence& sequence_;
};

/// Those of the first one's take.
Sequences first_take(Sequences all) {
  const auto end = std::find_if(all.begin(), all.end(), [&](const DeckSequence& sequence) {
    return sequence.info.take != all.front().info.take;
  });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

/// As in_lane(); a session that is alive is not told of an end that others met, where there is anything else.
DeckSequence& for_client(Sequences take, std::uint32_t lane, bool has_id) {
  DeckSequence& one = in_lane(take, lane);
  if (!has_id || !one.is_of_ends()) return one;
  const auto other = std::find_if(take.begin(), take.end(), [](const DeckSequence& it) { return !it.is_of_ends(); });
  return other == take.end() ? one : *other;
}

}  // namespace

LaneRef lane_of(const Deck& deck, const DeckSequence& sequence) {
  return {deck.edition(), sequence.info.take, sequence.info.lane};
}

Sequences of_take(Found& found) {
  Sequences rest(found.sequences);
  while (rest.front().info.take != found.take) rest = rest.subspan(first_take(rest).size());
  return first_take(rest);
}

std::uint32_t lane_of(std::optional<std::uint32_t> ordinal, std::uint32_t lanes) {
  return !ordinal || lanes == 0 ? 0 : 1 + *ordinal % lanes;
}

DeckSequence& in_lane(Sequences all, std::uint32_t lane) {
  const auto place = std::lower_bound(all.begin(), all.end(), lane, [](const DeckSequence& one, std::uint32_t wanted) {
    return one.info.lane < wanted;
  });
  return place != all.end() && place->info.lane == lane ? *place : all.front();
}

std::optional<std::uint32_t> first_success(Deck& deck, const DeckSequence& sequence) {
  constexpr std::uint32_t most = 64;
  for (std::uint32_t position = 0; position < std::min(sequence.info.count, most); ++position) {
    if (deck.playable(sequence, position)->error_code() == 0) return position;
  }
  return std::nullopt;
}

DeckSequence& Turns::sequence(const Visit& visit, Deck& deck, Found& found) const {
  if (found.sequences.size() == 1) return found.sequences.front();
  DeckSequence& first = in_turn(visit, deck, found);
  if (&first == &found.sequences.back()) return first;
  DeckSequence& second = *(&first + 1);
  const bool same_lane = lane_of(deck, first) == lane_of(deck, second);
  return same_lane && state(visit, deck, second) > state(visit, deck, first) ? second : first;
}

/// The first one of a take and lane.
DeckSequence& Turns::in_turn(const Visit& visit, Deck& deck, Found& found) const {
  const Session& session = visit.session();
  const bool has_id = session.kind() != Session::Kind::anonymous;
  if (plays_as_recorded(visit, found)) {
    const std::uint32_t lane = has_id ? visit.tape.scope->lane(session.login_account, session.login_place) : 0;
    return in_lane(found.sequences, lane);
  }
  const auto ordinal = has_id ? std::optional(session.ordinal()) : std::nullopt;
  if (found.scope) return in_lane(found.sequences, lane_of(ordinal, found.scope->lanes));
  const bool one_take = found.sequences.front().info.take == found.sequences.back().info.take;
  for (Sequences rest(found.sequences); !one_take && !rest.empty();) {
    const Sequences take = first_take(rest);
    rest = rest.subspan(take.size());
    DeckSequence& candidate = for_client(take, lane_of(ordinal, deck.lanes(take.front().info.take)), has_id);
    if (has_id && candidate.is_of_ends()) continue;
    const auto written = scope_of(visit, candidate.info).last_written(deck.edition());
    if (written && written->take == candidate.info.take) return candidate;
  }
  const Sequences take = of_take(found);
  return for_client(take, lane_of(ordinal, deck.lanes(found.take)), has_id);
}

std::optional<CursorScope::Next> Turns::next(Visit& visit, Deck& deck, DeckSequence& sequence,
                                             bool as_recorded) const {
  if (visit.asked().kind() == CallKind::info && !as_recorded) {
    if (const auto position = first_success(deck, sequence)) return CursorScope::Next{*position};
  }
  AtEnd at_end = deck.at_end(visit.key()).value_or(options_.at_end);
  if (sequence.info.count == 1 && at_end != AtEnd::miss) return CursorScope::Next{};
  const bool is_write = at_end == AtEnd::loop && deck.playable(sequence, 0)->divides() > 0;
  if (is_write) at_end = AtEnd::stick;
  DeckPositions positions(deck, sequence);
  auto next = scope_of(visit, sequence.info)
                  .next({deck.edition(), sequence.info.id}, lane_of(deck, sequence), positions, at_end);
  if (!next) return next;
  next->position = sequence.position(next->position);
  if (!next->in_order) next->in_order = !deck.has_different_answers(sequence);
  if (next->past_end) next->past_end = deck.has_different_answers(sequence);
  return next;
}

std::uint32_t Turns::peek(const Visit& visit, Deck& deck, DeckSequence& sequence) const {
  DeckPositions positions(deck, sequence);
  return sequence.position(
      scope_of(visit, sequence.info).peek({deck.edition(), sequence.info.id}, lane_of(deck, sequence), positions));
}

std::int64_t Turns::state(const Visit& visit, Deck& deck, DeckSequence& sequence) const {
  DeckPositions positions(deck, sequence);
  return scope_of(visit, sequence.info).state(lane_of(deck, sequence), positions);
}

void Turns::moved(const Visit& visit, const Deck& deck, const Found& found, const DeckSequence& sequence,
                  std::uint32_t position) const {
  for (const DeckSequence& merged : found.around) {
    const bool is_of_lane = lane_of(deck, merged) == lane_of(deck, sequence) && merged.is_part == sequence.is_part;
    if (!is_of_lane || !merged.merged) continue;
    const auto& places = merged.merged->places;
    const auto place = std::find_if(places.begin(), places.end(), [&](const DeckSequence::Merged::Place& one) {
      return merged.merged->members[one.member].id == sequence.info.id && one.position == position;
    });
    if (place == places.end()) continue;
    scope_of(visit, merged.info)
        .move_behind({deck.edition(), merged.info.id}, static_cast<std::uint32_t>(place - places.begin()));
  }
}

/// Every scope whose cursors this request could have moved learns of the write: a session's and its account's sequences
/// lie in the same lane.
void Turns::played(const Visit& visit, const Deck& deck, const DeckSequence& sequence, const Playable& playable) const {
  if (playable.divides() == 0) return;
  const LaneRef lane = lane_of(deck, sequence);
  const std::uint32_t writes = playable.segment() + playable.divides();
  if (visit.named_cursors) {
    visit.named_cursors->wrote(lane, writes);
  } else if (options_.cursors == Cursors::global) {
    sessions_.global().wrote(lane, writes);
  } else {
    visit.session().cursors().wrote(lane, writes);
    visit.session().account().cursors.wrote(lane, writes);
  }
}

CursorScope& Turns::scope_of(const Visit& visit, const cassettes::SequenceInfo& sequence) const {
  if (visit.named_cursors) return *visit.named_cursors;
  switch (options_.cursors) {
    case Cursors::session:
      return visit.session().cursors();
    case Cursors::account:
      return visit.session().account().cursors;
    case Cursors::global:
      return sessions_.global();
    case Cursors::automatic:
      break;
  }
  return sequence.many_sessions ? visit.session().account().cursors : visit.session().cursors();
}

}  // namespace tapedeck::replay
