#include "replay/recorded/player.h"

#include <algorithm>
#include <array>
#include <span>

#include "api/conditions.h"

namespace tapedeck::replay {
namespace {

using Sequences = std::span<DeckSequence>;

class DeckPositions : public Positions {
 public:
  DeckPositions(Deck& deck, DeckSequence& sequence) : deck_(deck), sequence_(sequence) {}
  [[nodiscard]] std::uint32_t count() const override { return sequence_.info.count; }
  [[nodiscard]] std::uint32_t segment(std::uint32_t position) override { return deck_.segment(sequence_, position); }

 private:
  Deck& deck_;
  DeckSequence& sequence_;
};

LaneRef lane_of(const Deck& deck, const DeckSequence& sequence) {
  return {deck.number(), sequence.info.take, sequence.info.lane};
}

/// Those of the first one's take.
Sequences first_take(Sequences all) {
  const auto end = std::find_if(all.begin(), all.end(), [&](const DeckSequence& sequence) {
    return sequence.info.take != all.front().info.take;
  });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

/// Those of the take that plays unless a write says otherwise.
Sequences of_take(Found& found) {
  for (Sequences rest(found.sequences); !rest.empty(); rest = rest.subspan(first_take(rest).size())) {
    if (rest.front().info.take == found.take) return first_take(rest);
  }
  return {};
}

/// Of one take, by lane: that of the lane of the session with that ordinal (nothing: of calls without one), or else the
/// first (semantics §2).
DeckSequence& in_lane(Deck& deck, Sequences all, std::optional<std::uint32_t> ordinal) {
  if (all.size() == 1) return all.front();
  const std::uint32_t lanes = deck.lanes(all.front().info.take);
  const std::uint32_t lane = !ordinal || lanes == 0 ? 0 : 1 + *ordinal % lanes;
  const auto place = std::lower_bound(all.begin(), all.end(), lane, [](const DeckSequence& one, std::uint32_t wanted) {
    return one.info.lane < wanted;
  });
  return place != all.end() && place->info.lane == lane ? *place : all.front();
}

std::optional<std::uint32_t> lane_ordinal(const Session& session) {
  return session.kind() == Session::Kind::anonymous ? std::nullopt : std::optional(session.ordinal());
}

std::shared_ptr<const Playable> marked(Deck& deck, std::shared_ptr<const Playable> playable) {
  deck.played(*playable);
  return playable;
}

/// Of a sequence without a cursor.
std::optional<std::uint32_t> first_success(Deck& deck, const DeckSequence& sequence) {
  constexpr std::uint32_t most = 64;
  for (std::uint32_t position = 0; position < std::min(sequence.info.count, most); ++position) {
    if (deck.playable(sequence.info, position)->error_code() == 0) return position;
  }
  return std::nullopt;
}

/// The range to be cut from a recorded 200 (semantics §4), unless it is asked of another version of it.
std::optional<std::string_view> asked_range(const Visit& visit, const Playable& playable) {
  if (playable.status() != 200) return std::nullopt;
  const http::Request& request = visit.asked().request();
  const auto range = request.headers.first("Range");
  if (!range || request.method != "GET" || visit.asked().is_head()) return std::nullopt;
  const auto condition = request.headers.first("If-Range");
  return !condition || playable.has_validator(*condition) ? range : std::nullopt;
}

}  // namespace

std::optional<Reply> Player::answer(Visit& visit, ThreadState& thread) {
  if (visit.login_ordinal) return login(visit, thread, *visit.login_ordinal);
  if (thread.decks.empty() || visit.asked().kind() == CallKind::login) return std::nullopt;
  if (auto reply = play_any(visit, thread)) return reply;
  if (!visit.asked().is_head()) return std::nullopt;
  Visit head = visit.as_head();
  auto reply = play_any(head, thread);
  if (reply && reply->played) {
    reply->prepared = reply->played->playable->prepare_head(visit.session(), reply->played->match);
  }
  return reply;
}

std::optional<Reply> Player::play_any(Visit& visit, ThreadState& thread) {
  constexpr std::array<Found::How, 4> order = {Found::How::exact, Found::How::part, Found::How::redacted,
                                               Found::How::loosely};
  bool others = false;
  for (const Found::How how : order) {
    if (how != Found::How::exact && !others) break;
    for (const auto& deck : thread.decks) {
      Found& found = deck->find(visit.key());
      if (found.how != how) {
        others = others || found.how != Found::How::nothing;
        if (found.how == Found::How::ambiguous) visit.notes.ambiguous = found.candidates;
        continue;
      }
      if (auto reply = play(visit, *deck, found)) return reply;
    }
  }
  return std::nullopt;
}

std::optional<Reply> Player::play(Visit& visit, Deck& deck, Found& found) {
  if (found.conditional_key.empty()) return play_plain(visit, deck, found);
  const std::string conditions = api::conditions_of(visit.asked().request().headers);
  if (conditions.empty()) return play_plain(visit, deck, found);
  Found plain = found;
  Found& conditional = deck.find_conditional(plain.conditional_key, conditions);
  if (auto reply = play_conditional(visit, deck, conditional, plain)) return reply;
  return play_plain(visit, deck, plain);
}

std::optional<Reply> Player::play_plain(Visit& visit, Deck& deck, Found& found) {
  if (found.sequences.empty()) {
    visit.notes.hidden += found.hidden;
    visit.notes.conditional = visit.notes.conditional || !found.conditional_key.empty();
    return std::nullopt;
  }
  DeckSequence& sequence = sequence_for(visit, deck, found);
  const bool strict = options_.auth == Auth::strict;
  if (strict && !visit.asked().has_token() && deck.used_token(*deck.playable(sequence.info, 0))) {
    return Reply::error(Outcome::builtin, api::ErrorCode::session_not_found);
  }
  return play_from(visit, deck, sequence, found.match);
}

/// Not when the plain request's answers tell of a write that the client has made since.
std::optional<Reply> Player::play_conditional(Visit& visit, Deck& deck, Found& conditional, Found& plain) {
  if (conditional.sequences.empty()) return std::nullopt;
  DeckSequence& sequence = sequence_for(visit, deck, conditional);
  const LaneRef lane = lane_of(deck, sequence);
  const auto state_in = [&](DeckSequence& of) {
    DeckPositions positions(deck, of);
    return scope_of(visit, of.info).state(lane, positions);
  };
  for (DeckSequence& other : plain.sequences) {
    if (lane_of(deck, other) == lane && state_in(other) > state_in(sequence)) return std::nullopt;
  }
  return play_from(visit, deck, sequence, plain.match);
}

std::optional<Reply> Player::play_from(Visit& visit, Deck& deck, DeckSequence& sequence, const std::string& match) {
  const auto position = position_in(visit, deck, sequence);
  if (!position) {
    visit.notes.at_end = true;
    return std::nullopt;
  }
  const auto playable = deck.playable(sequence.info, *position);
  if (playable->divides() > 0) wrote(visit, lane_of(deck, sequence), playable->segment() + playable->divides());
  deck.played(*playable);
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.played = PlayedRecording{playable, *position, sequence.info.count, match};
  if (const auto range = asked_range(visit, *playable)) {
    const std::string cut = match.empty() ? "range" : match + ", range";
    reply.prepared = playable->prepare_range(visit.session(), cut, *range);
    if (reply.prepared) reply.played->match = cut;
  }
  if (!reply.prepared) reply.prepared = playable->prepare(visit.session(), match);
  return reply;
}

/// Semantics §2: a session keeps to the take of its last recorded write, as long as that take has the call.
DeckSequence& Player::sequence_for(const Visit& visit, Deck& deck, Found& found) const {
  if (found.sequences.size() == 1) return found.sequences.front();
  const auto ordinal = lane_ordinal(visit.session());
  const bool one_take = found.sequences.front().info.take == found.sequences.back().info.take;
  DeckSequence* chosen = nullptr;
  for (Sequences rest(found.sequences); !rest.empty();) {
    const Sequences take = first_take(rest);
    rest = rest.subspan(take.size());
    DeckSequence& candidate = in_lane(deck, take, ordinal);
    if (candidate.info.take == found.take) chosen = &candidate;
    if (one_take) break;
    const auto written = scope_of(visit, candidate.info).last_written(deck.number());
    if (written && written->take == candidate.info.take) return candidate;
  }
  return *chosen;
}

std::optional<std::uint32_t> Player::position_in(const Visit& visit, Deck& deck, DeckSequence& sequence) const {
  if (visit.asked().kind() == CallKind::info) {
    if (const auto position = first_success(deck, sequence)) return position;
  }
  if (sequence.info.count == 1 && options_.at_end == AtEnd::stick) return 0;
  DeckPositions positions(deck, sequence);
  return scope_of(visit, sequence.info)
      .next({deck.number(), sequence.info.id}, lane_of(deck, sequence), positions, options_.at_end);
}

CursorScope& Player::scope_of(const Visit& visit, const cassettes::SequenceInfo& sequence) const {
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

/// Every scope whose cursors this request could have moved learns of the write: a session's and its account's sequences
/// lie in the same lane.
void Player::wrote(const Visit& visit, const LaneRef& lane, std::uint32_t writes) const {
  if (visit.named_cursors) {
    visit.named_cursors->wrote(lane, writes);
  } else if (options_.cursors == Cursors::global) {
    sessions_.global().wrote(lane, writes);
  } else {
    visit.session().cursors().wrote(lane, writes);
    visit.session().account().cursors.wrote(lane, writes);
  }
}

std::optional<Reply> Player::login(Visit& visit, ThreadState& thread, std::uint32_t ordinal) {
  std::shared_ptr<const Playable> found_login;
  for (const auto& deck : thread.decks) {
    Found& found = deck->find(visit.key());
    if (found.sequences.empty() || found.how != Found::How::exact) continue;
    const DeckSequence& preferred = in_lane(*deck, of_take(found), ordinal);
    std::optional<std::uint32_t> success = first_success(*deck, preferred);
    const DeckSequence* sequence = &preferred;
    for (auto other = found.sequences.begin(); !success && other != found.sequences.end(); ++other) {
      if ((success = first_success(*deck, *other))) sequence = &*other;
    }
    if (success || !found_login) found_login = marked(*deck, deck->playable(sequence->info, success.value_or(0)));
    if (success) break;
  }
  if (!found_login) return std::nullopt;
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.prepared = found_login->prepare(visit.session(), {});
  reply.played = PlayedRecording{std::move(found_login), 0, 0, {}};
  return reply;
}

}  // namespace tapedeck::replay
