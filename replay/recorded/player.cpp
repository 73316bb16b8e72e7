#include "replay/recorded/player.h"

#include <array>

#include "api/conditions.h"
#include "replay/recorded/contents.h"

namespace tapedeck::replay {
namespace {

std::shared_ptr<const Playable> marked(Deck& deck, std::shared_ptr<const Playable> playable) {
  deck.played(*playable);
  return playable;
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
  if (visit.take_apart) return std::nullopt;
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
      const Contents contents(visit.asked().request(), deck->policy());
      Found& found = deck->find(visit.key(), &contents);
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
  Found plain = found;  // What `found` refers to ends with the next find.
  if (auto reply = play_conditional(visit, deck, plain, conditions)) return reply;
  return play_plain(visit, deck, plain);
}

std::optional<Reply> Player::play_plain(Visit& visit, Deck& deck, Found& found) {
  if (!found.sequences.empty()) return play_from(visit, deck, turns_.sequence(visit, deck, found), found.match);
  visit.notes.hidden += found.hidden;
  visit.notes.conditional = visit.notes.conditional || !found.conditional_key.empty();
  return std::nullopt;
}

/// Not when the plain request's answers tell of a write that the client has made since.
std::optional<Reply> Player::play_conditional(Visit& visit, Deck& deck, Found& plain, const std::string& conditions) {
  Found& conditional = deck.find_conditional(plain.conditional_key, conditions);
  if (conditional.sequences.empty()) return std::nullopt;
  DeckSequence& sequence = turns_.sequence(visit, deck, conditional);
  const std::uint32_t state = turns_.state(visit, deck, sequence);
  for (DeckSequence& other : plain.sequences) {
    const bool same_lane = other.info.take == sequence.info.take && other.info.lane == sequence.info.lane;
    if (same_lane && turns_.state(visit, deck, other) > state) return std::nullopt;
  }
  return play_from(visit, deck, sequence, plain.match);
}

std::optional<Reply> Player::play_from(Visit& visit, Deck& deck, DeckSequence& sequence, const std::string& match) {
  const bool strict = options_.auth == Auth::strict;
  if (strict && !visit.asked().has_token() && deck.used_token(*deck.playable(sequence.info, 0))) {
    return Reply::error(Outcome::builtin, api::ErrorCode::session_not_found);
  }
  const auto position = turns_.position(visit, deck, sequence);
  if (!position) {
    visit.notes.at_end = true;
    return std::nullopt;
  }
  const auto playable = deck.playable(sequence.info, *position);
  turns_.played(visit, deck, sequence, *playable);
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
