#include "replay/recorded/player.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

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

using RangeParts = std::vector<std::pair<Playable::Part, std::shared_ptr<const Playable>>>;

/// The body that parts of one version of it cover; nothing if they do not. Sorts them.
std::optional<std::string> whole_body(RangeParts& parts, const Session& session) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.first.first != b.first.first ? a.first.first < b.first.first : a.first.last > b.first.last;
  });
  std::string body;
  const Playable::Part& one = parts.front().first;
  for (const auto& [part, playable] : parts) {
    if (part.total != one.total || part.validator != one.validator || part.first > body.size()) return std::nullopt;
    const std::string text = playable->body_for(session);
    if (part.last < body.size() || text.size() != part.last - part.first + 1) continue;
    body += text.substr(body.size() - part.first);
  }
  return body.size() == one.total ? std::optional(std::move(body)) : std::nullopt;
}

/// The recordings that a request cannot be told to mean, in their order.
void note_conflict(Visit& visit, Deck& deck, const DeckSequence& sequence) {
  constexpr std::uint32_t most = 5;
  for (std::uint32_t i = 0; i < std::min(sequence.info.count, most); ++i) {
    visit.notes.conflict.push_back(deck.playable(sequence, i)->id());
  }
}

/// Whose values are bound together: those of a scope's run, else of an account; an id without a login has its own.
CursorScope& owner_of(const Visit& visit) {
  return visit.named_cursors ? *visit.named_cursors : visit.session().account().cursors;
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

Found& Player::find(Visit& visit, Deck& deck, const Contents* contents, const std::shared_ptr<const TapeScope>& scope) {
  visit.bound_note.clear();
  Found* const found = &deck.find(visit.key(), contents, scope);
  if (!deck.binds() || found->how == Found::How::exact || found->how == Found::How::part) return *found;
  Found* const bound = find_bound(visit, deck, scope);
  return bound != nullptr ? *bound : deck.find(visit.key(), contents, scope);
}

/// A request with live values that are tied, or that can be tied to recorded ones now.
Found* Player::find_bound(Visit& visit, Deck& deck, const std::shared_ptr<const TapeScope>& scope) {
  BoundValues& values = owner_of(visit).bound;
  const std::vector<Tie> ties = values.of(deck.edition());
  const auto known = ties.empty() ? std::nullopt : recorded_key(visit.key(), ties);
  if (known) {
    Found& found = deck.find(known->key, nullptr, scope);
    if (!found.sequences.empty()) {
      visit.bound_note = known->note;
      return &found;
    }
  }
  const api::RequestKey& key = known ? known->key : visit.key();
  std::vector<Deck::Bindable> all = deck.bindable(key, scope);
  const bool has_id = visit.session().kind() != Session::Kind::anonymous;
  const auto ordinal = has_id ? std::optional(visit.session().ordinal()) : std::nullopt;
  std::stable_partition(all.begin(), all.end(), [&](const Deck::Bindable& one) {
    return one.lane == lane_of(ordinal, scope ? scope->lanes : deck.lanes(one.take));
  });
  for (const Deck::Bindable& one : all) {
    if (!values.add(one.ties)) continue;
    visit.bound_note = known ? known->note : std::string();
    for (const Tie& tie : one.ties) visit.bound_note = both(visit.bound_note, bound_note(tie));
    return &deck.find(one.key, nullptr, scope);
  }
  if (!all.empty()) visit.notes.tied = all.front().ties.front().param;
  return nullptr;
}

/// What the visit's scope has, then what was recorded without one; outside of scopes, then what some scope has
/// (toolkit §1, "replaying").
std::optional<Reply> Player::play_any(Visit& visit, ThreadState& thread) {
  if (visit.tape) {
    Deck& deck = *thread.decks.at(visit.tape.deck);
    const Contents contents(visit.asked().request(), deck.policy());
    Found& found = find(visit, deck, &contents, visit.tape.scope);
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
  const bool binds = !thread.decks.empty() && thread.decks.front()->binds();
  const std::size_t first = binds ? 0 : thread.first_with(visit.key());
  // What is not looked at in the first turn may have something that is not exact.
  bool others = first > 0 || binds;
  for (const Found::How how : order) {
    if (how != Found::How::exact && !others) break;
    for (std::size_t place = how == Found::How::exact ? first : 0; place < thread.decks.size(); ++place) {
      const auto& deck = thread.decks[place];
      const Contents contents(visit.asked().request(), deck->policy());
      Found& found = find(visit, *deck, &contents, nullptr);
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
  if (!found.sequences.empty()) {
    DeckSequence& sequence = turns_.sequence(visit, deck, found);
    if (!sequence.info.is_ambiguous) return play_from(visit, deck, found, sequence);
    note_conflict(visit, deck, sequence);
    return std::nullopt;
  }
  visit.notes.hidden += found.hidden;
  if (!found.conditional_key.empty()) {
    if (auto reply = play_ranges(visit, deck, found)) return reply;
  }
  // A compound of which nothing plays has only told of the end of sessions: it is made of its parts' other answers.
  const bool is_compound = visit.asked().kind() == CallKind::compound;
  visit.notes.conditional = visit.notes.conditional || (!found.conditional_key.empty() && !is_compound);
  return std::nullopt;
}

std::optional<Reply> Player::play_ranges(Visit& visit, Deck& deck, const Found& plain) {
  if (visit.asked().request().method != "GET") return std::nullopt;
  // What was recorded in one state: newest take first.
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, RangeParts> states;
  for (const auto& one : deck.ranges(plain)) {
    const std::size_t begin = one.conditions.find("Range: ") + 7;
    visit.notes.ranges += (visit.notes.ranges.empty() ? "" : ", ") +
                          one.conditions.substr(begin, one.conditions.find('\n', begin) - begin);
    auto playable = deck.playable(one.sequence, 0);
    const auto part = playable->part();
    if (!part) continue;
    states[{-std::int64_t{one.sequence.take}, one.sequence.lane, playable->segment()}].emplace_back(*part, playable);
  }
  for (auto& [state, parts] : states) {
    auto body = whole_body(parts, visit.session());
    if (!body) continue;
    const Playable& first = *parts.front().second;
    const http::Headers& headers = visit.asked().request().headers;
    const auto if_range = headers.first("If-Range");
    const auto range = !if_range || first.has_validator(*if_range) ? headers.first("Range") : std::nullopt;
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.cassette = deck.number();
    const std::string match = both(both(plain.match, visit.match_note), "range");
    reply.prepared = first.prepare_whole(visit.session(), match, std::move(*body), range);
    for (const auto& [part, playable] : parts) deck.played(*playable);
    reply.played = PlayedRecording{parts.front().second, 0, 1, match};
    return reply;
  }
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
  if (strict && !visit.asked().has_token() && deck.used_token(*deck.playable(sequence, 0))) {
    return Reply::error(Outcome::builtin, api::ErrorCode::session_not_found);
  }
  const auto next = turns_.next(visit, deck, sequence, plays_as_recorded(visit, found));
  if (!next) {
    visit.notes.at_end = true;
    return std::nullopt;
  }
  const auto playable = deck.playable(sequence, next->position);
  turns_.moved(visit, deck, found, sequence, next->position);
  turns_.played(visit, deck, sequence, *playable);
  deck.played(*playable);
  std::string match = both(both(found.match, visit.match_note), visit.bound_note);
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
  if (!reply.prepared && deck.binds()) {
    const std::vector<Tie> ties = owner_of(visit).bound.of(deck.edition());
    auto body = ties.empty() ? std::nullopt : live_text(playable->body_for(visit.session()), ties);
    if (body) reply.prepared = playable->prepare_body(visit.session(), match, std::move(*body));
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
  const auto next = deck.playable(sequence, turns_.peek(visit, deck, sequence));
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
      found_login = marked(deck, deck.playable(*sequence, success.value_or(0)));
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
