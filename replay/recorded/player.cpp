#include "replay/recorded/player.h"

#include <algorithm>
#include <array>

#include "api/conditions.h"
#include "api/envelope.h"
#include "api/scope_name.h"
#include "replay/recorded/contents.h"

namespace tapedeck::replay {
namespace {

std::shared_ptr<const Playable> marked(Deck& deck, std::shared_ptr<const Playable> playable) {
  deck.played(*playable);
  return playable;
}

/// The range to be cut from a recorded 200 (semantics §4), unless it is asked of another version of it.
std::optional<std::string_view> asked_range(const Visit& visit, const Playable& playable) {
  if (playable.status() != 200 || visit.ignores_conditions) return std::nullopt;
  const http::Request& request = visit.asked().request();
  const auto range = request.headers.first("Range");
  if (!range || request.method != "GET" || visit.asked().is_head()) return std::nullopt;
  const auto condition = request.headers.first("If-Range");
  return !condition || playable.has_validator(*condition) ? range : std::nullopt;
}

/// Of X-Tapedeck-Match.
std::string both(const std::string& match, const std::string& note) {
  return match.empty() || note.empty() ? match + note : match + ", " + note;
}

constexpr const char* part_note = "part of a recorded compound";

void note_ambiguous(Visit& visit, const Found& found) {
  visit.notes.ambiguous = found.candidates;
  visit.notes.private_params = found.private_params;
}

Reply whole_reply(const Visit& visit, std::uint32_t cassette, std::shared_ptr<const Playable> playable,
                  std::uint32_t position, std::uint32_t of, const std::string& match) {
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.cassette = cassette;
  reply.prepared = playable->prepare(visit.session(), match);
  reply.played = PlayedRecording{std::move(playable), position, of, match};
  return reply;
}

}  // namespace

std::optional<Reply> Player::answer(Visit& visit, ThreadState& thread) {
  if (visit.login) return login(visit, thread, *visit.login);
  if (visit.take_apart) return std::nullopt;
  if (thread.decks.empty() || visit.asked().kind() == CallKind::login) return std::nullopt;
  if (visit.wants_refusal) return refusal(visit, thread);
  if (auto reply = play_any(visit, thread)) return reply;
  if (!visit.asked().is_head()) return std::nullopt;
  Visit head = visit.as_head();
  auto reply = play_any(head, thread);
  if (reply && reply->played) {
    reply->prepared = reply->played->playable->prepare_head(visit.session(), reply->played->match);
  }
  return reply;
}

bool Player::has(Visit& visit, ThreadState& thread) {
  return std::any_of(thread.decks.begin(), thread.decks.end(), [&visit](const auto& deck) {
    const Contents contents(visit.asked().request(), deck->policy());
    const Found& found = deck->find(visit.key(), &contents);
    return !found.sequences.empty() && found.how != Found::How::nothing && found.how != Found::How::ambiguous;
  });
}

/// What the visit's scope has, then what was recorded without one; outside of scopes, then what some scope has
/// (toolkit §1, "replaying").
std::optional<Reply> Player::play_any(Visit& visit, ThreadState& thread) {
  if (visit.tape) {
    Deck& deck = *thread.decks.at(visit.tape.deck);
    const Contents contents(visit.asked().request(), deck.policy());
    Found& found = deck.find(visit.key(), &contents, visit.tape.scope);
    if (found.how == Found::How::ambiguous) note_ambiguous(visit, found);
    if (found.how != Found::How::nothing) {
      if (auto reply = play(visit, deck, found)) return reply;
    }
    if (visit.notes.is_recorded()) return std::nullopt;
    visit.match_note = "scope";
    return play_unscoped(visit, thread);
  }
  if (auto reply = play_unscoped(visit, thread)) return reply;
  if (visit.scope_run() || visit.notes.is_recorded()) return std::nullopt;
  for (const auto& deck : thread.decks) {
    const Contents contents(visit.asked().request(), deck->policy());
    Found& found = deck->find_in_scopes(visit.key(), &contents);
    if (found.how == Found::How::ambiguous) note_ambiguous(visit, found);
    if (found.how == Found::How::nothing || found.how == Found::How::ambiguous) continue;
    visit.match_note = "scope=" + api::scope_in_header(found.scope->name);
    if (auto reply = play(visit, *deck, found)) return reply;
  }
  return std::nullopt;
}

std::optional<Reply> Player::play_unscoped(Visit& visit, ThreadState& thread) {
  constexpr std::array<Found::How, 4> order = {Found::How::exact, Found::How::part, Found::How::redacted,
                                               Found::How::loosely};
  const std::size_t first = thread.first_with(visit.key());
  // What is not looked at in the first turn may have something that is not exact.
  bool others = first > 0;
  for (const Found::How how : order) {
    if (how != Found::How::exact && !others) break;
    for (std::size_t place = how == Found::How::exact ? first : 0; place < thread.decks.size(); ++place) {
      const auto& deck = thread.decks[place];
      const Contents contents(visit.asked().request(), deck->policy());
      Found& found = deck->find(visit.key(), &contents);
      if (found.how != how) {
        others = others || found.how != Found::How::nothing;
        if (found.how == Found::How::ambiguous) note_ambiguous(visit, found);
        continue;
      }
      if (auto reply = play(visit, *deck, found)) return reply;
    }
  }
  return std::nullopt;
}

std::optional<Reply> Player::play(Visit& visit, Deck& deck, Found& found) {
  if (found.conditional_key.empty() || visit.ignores_conditions) return play_plain(visit, deck, found);
  const std::string conditions = api::conditions_of(visit.asked().request().headers);
  if (conditions.empty()) return play_plain(visit, deck, found);
  Found plain = found;  // What `found` refers to ends with the next find.
  if (auto reply = play_conditional(visit, deck, plain, conditions)) return reply;
  return play_plain(visit, deck, plain);
}

std::optional<Reply> Player::play_plain(Visit& visit, Deck& deck, Found& found) {
  if (!found.sequences.empty()) return play_from(visit, deck, found, turns_.sequence(visit, deck, found));
  visit.notes.hidden += found.hidden;
  // A compound of which nothing plays has only told of the end of sessions: it is made of its parts' other answers.
  const bool is_compound = visit.asked().kind() == CallKind::compound;
  visit.notes.conditional = visit.notes.conditional || (!found.conditional_key.empty() && !is_compound);
  return std::nullopt;
}

/// Not when the plain request's answers tell of a write that the client has made since, nor before a write that it has
/// not made when they tell of the time before that.
std::optional<Reply> Player::play_conditional(Visit& visit, Deck& deck, Found& plain, const std::string& conditions) {
  Found& conditional = deck.find_conditional(plain, conditions);
  if (conditional.sequences.empty()) return std::nullopt;
  conditional.match = plain.match;
  DeckSequence& sequence = turns_.sequence(visit, deck, conditional);
  const std::int64_t state = turns_.state(visit, deck, sequence);
  for (DeckSequence& other : plain.sequences) {
    const bool same_lane = other.info.take == sequence.info.take && other.info.lane == sequence.info.lane;
    if (same_lane && turns_.state(visit, deck, other) > state) return std::nullopt;
  }
  return play_from(visit, deck, conditional, sequence);
}

std::optional<Reply> Player::play_from(Visit& visit, Deck& deck, const Found& found, DeckSequence& sequence) {
  const bool strict = options_.auth == Auth::strict;
  if (strict && !visit.asked().has_token() && deck.used_token(*deck.playable(sequence.info, 0))) {
    return Reply::error(Outcome::builtin, api::ErrorCode::session_not_found);
  }
  const auto next = turns_.next(visit, deck, sequence, plays_as_recorded(visit, found));
  if (!next) {
    visit.notes.at_end = true;
    return std::nullopt;
  }
  const auto playable = deck.playable(sequence.info, next->position);
  turns_.played(visit, deck, sequence, *playable);
  deck.played(*playable);
  std::string match = both(found.match, visit.match_note);
  if (sequence.is_part) match = both(part_note, match);
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.played = PlayedRecording{playable,           next->position, sequence.info.count,    match,
                                 next->in_order, next->past_end, lane_of(deck, sequence)};
  if (const auto range = asked_range(visit, *playable)) {
    const std::string cut = match.empty() ? "range" : match + ", range";
    reply.prepared = playable->prepare_range(visit.session(), cut, *range);
    if (reply.prepared) reply.played->match = cut;
  }
  if (!reply.prepared) reply.prepared = playable->prepare(visit.session(), match);
  reply.cassette = deck.number();
  return reply;
}

/// The recorded 106, 107 or 119 that is next in turn in a recorded scope.
std::optional<Reply> Player::refusal(Visit& visit, ThreadState& thread) {
  if (!visit.tape) return std::nullopt;
  Deck& deck = *thread.decks.at(visit.tape.deck);
  const Contents contents(visit.asked().request(), deck.policy());
  Found& found = deck.find(visit.key(), &contents, visit.tape.scope);
  if (found.sequences.empty()) return std::nullopt;
  DeckSequence& sequence = turns_.sequence(visit, deck, found);
  const auto next = deck.playable(sequence.info, turns_.peek(visit, deck, sequence));
  if (!api::ends_session(next->error_code())) return std::nullopt;
  return play_plain(visit, deck, found);
}

std::optional<Reply> Player::login(Visit& visit, ThreadState& thread, const LoginTurn& turn) {
  if (visit.tape) {
    Deck& deck = *thread.decks.at(visit.tape.deck);
    if (auto reply = recorded_login(visit, deck, deck.find(visit.key(), nullptr, visit.tape.scope), turn)) return reply;
    visit.match_note = "scope";
  }
  std::shared_ptr<const Playable> found_login;
  std::uint32_t cassette = 0;
  const auto look = [&](Deck& deck, Found& found) {
    if (found.sequences.empty() || found.how != Found::How::exact) return false;
    const std::uint32_t lanes = found.scope ? found.scope->lanes : deck.lanes(found.take);
    const DeckSequence& preferred = in_lane(of_take(found), lane_of(turn.ordinal, lanes));
    std::optional<std::uint32_t> success = first_success(deck, preferred);
    const DeckSequence* sequence = &preferred;
    for (auto other = found.sequences.begin(); !success && other != found.sequences.end(); ++other) {
      if ((success = first_success(deck, *other))) sequence = &*other;
    }
    if (success || !found_login) {
      found_login = marked(deck, deck.playable(sequence->info, success.value_or(0)));
      cassette = deck.number();
    }
    return success.has_value();
  };
  for (const auto& deck : thread.decks) {
    if (look(*deck, deck->find(visit.key()))) break;
  }
  for (auto deck = thread.decks.begin(); !found_login && !visit.scope_run() && deck != thread.decks.end(); ++deck) {
    Found& found = (*deck)->find_in_scopes(visit.key());
    if (found.scope) visit.match_note = "scope=" + api::scope_in_header(found.scope->name);
    (void)look(**deck, found);
  }
  if (!found_login) return std::nullopt;
  return whole_reply(visit, cassette, std::move(found_login), 0, 0, visit.match_note);
}

/// In a recorded scope logins have a cursor, and accounts are told apart by the order of their first login.
std::optional<Reply> Player::recorded_login(Visit& visit, Deck& deck, const Found& found, const LoginTurn& turn) {
  if (found.sequences.empty() || found.how != Found::How::exact) return std::nullopt;
  const std::vector<Deck::Login> logins = deck.logins(found, turn.account);
  if (logins.empty()) return std::nullopt;
  const std::int64_t first = logins.front().sequence.id + logins.front().position;
  const std::uint32_t at = visit.run().cursors.next_login({deck.edition(), first}, logins.size());
  const Deck::Login& login = logins[at];
  auto playable = marked(deck, deck.playable(login.sequence, login.position));
  return whole_reply(visit, deck.number(), std::move(playable), at, static_cast<std::uint32_t>(logins.size()), {});
}

}  // namespace tapedeck::replay
