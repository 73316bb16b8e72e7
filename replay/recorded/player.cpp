#include "replay/recorded/player.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "api/conditions.h"
#include "api/envelope.h"
#include "api/scope_name.h"
#include "replay/recorded/match.h"

namespace tapedeck::replay {
namespace {

std::shared_ptr<const Playable> marked(SequenceLookup& lookup, std::shared_ptr<const Playable> playable) {
  lookup.played(*playable);
  return playable;
}

/// Returns the range to cut from a recorded 200 (docs/replay.md, "Details of HTTP"), or nothing if the request requires
/// another version of it.
std::optional<std::string_view> asked_range(const PlayRequest& request, const Playable& playable) {
  if (playable.status() != 200 || request.ignores_conditions) return std::nullopt;
  const http::Request& message = request.parsed.request();
  const auto range = message.headers.first("Range");
  if (!range || message.method != "GET" || request.parsed.is_head()) return std::nullopt;
  const auto condition = message.headers.first("If-Range");
  return !condition || playable.has_validator(*condition) ? range : std::nullopt;
}

/// Joins two notes for X-Tapedeck-Match.
std::string both(const std::string& match, const std::string& note) {
  return match.empty() || note.empty() ? match + note : match + ", " + note;
}

constexpr const char* part_note = "part of a recorded compound";

using RangeParts = std::vector<std::pair<Playable::Part, std::shared_ptr<const Playable>>>;

/// Combines parts of one version of a body. Returns nothing if they do not cover all of it. Sorts them.
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

/// Returns the owner's bound values: those of the scope's run, or else of the account, or of the session if it has no
/// login.
BoundValues& bound_values_of(const PlayRequest& request) {
  return request.run_positions != nullptr ? request.run_positions->bound : request.session.account().cursors.bound;
}

PlayResult whole_result(const PlayRequest& request, std::uint32_t cassette, std::shared_ptr<const Playable> playable,
                        std::uint32_t position, std::uint32_t of, const std::string& match) {
  http::PreparedReply prepared = playable->prepare(request.session, match);
  return {PlayResult::Kind::played,
          PlayedResponse{cassette, std::move(prepared), {std::move(playable), position, of, match, match.empty()}},
          {}};
}

LookupResult& find_plain(const PlayRequest& request, SequenceLookup& lookup) {
  const Contents contents(request.parsed.request(), lookup.policy());
  return lookup.find(request.key, &contents);
}

bool has_response(const LookupResult& found) {
  return !found.sequences.empty() && found.how != LookupResult::How::nothing &&
         found.how != LookupResult::How::ambiguous;
}

/// Replays a login in a recorded scope. The recorded logins have their own position, and accounts are distinguished by
/// the order of their first logins.
std::optional<PlayResult> login_in_scope(const PlayRequest& request, SequenceLookup& lookup,
                                         const LoginOrdinal& login) {
  const LookupResult& found = lookup.find(request.key, nullptr, request.selection.scope);
  if (found.sequences.empty() || found.how != LookupResult::How::exact) return std::nullopt;
  const std::vector<SequenceLookup::Login> logins = lookup.logins(found, login.account);
  if (logins.empty()) return std::nullopt;
  const std::int64_t first = logins.front().sequence.id + logins.front().position;
  const std::uint32_t at = request.run_positions->next_login({lookup.cassette_id(), first}, logins.size());
  auto playable = marked(lookup, lookup.playable(logins[at].sequence, logins[at].position));
  return whole_result(request, lookup.number(), std::move(playable), at, static_cast<std::uint32_t>(logins.size()), {});
}

}  // namespace

/// Searches the cassettes for one request. Functions that replay return true once there is a result.
class Player::Attempt {
 public:
  Attempt(const Player& player, const PlayRequest& request, ThreadCassettes& cassettes)
      : player_(player), request_(request), cassettes_(cassettes) {}

  bool play_any();
  bool play_refusal();
  [[nodiscard]] PlayResult result() { return std::move(result_); }

 private:
  [[nodiscard]] PlayNotes& notes() { return result_.notes; }
  /// Finds recordings by the exact key, then with the values that the client has bound, and then in other ways.
  [[nodiscard]] LookupResult& find(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope);
  [[nodiscard]] LookupResult* find_bound(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope);
  void note_ambiguous(const LookupResult& found);
  void note_conflict(SequenceLookup& lookup, const FoundSequence& sequence);

  bool play_unscoped();
  bool play_before(const LookupResult& found, std::size_t place);
  bool play(SequenceLookup& lookup, LookupResult& found);
  bool play_plain(SequenceLookup& lookup, LookupResult& found);
  bool play_conditional(SequenceLookup& lookup, LookupResult& plain, const std::string& conditions);
  bool play_ranges(SequenceLookup& lookup, const LookupResult& plain);
  bool play_from(SequenceLookup& lookup, const LookupResult& found, FoundSequence& sequence);
  [[nodiscard]] http::PreparedReply prepare(SequenceLookup& lookup, const Playable& playable, std::string& match) const;

  const Player& player_;
  const PlayRequest& request_;
  ThreadCassettes& cassettes_;
  PlayResult result_;
  std::string scope_note_;  ///< how the scope differs, for X-Tapedeck-Match
  std::string bound_note_;  ///< parameters whose live values were replaced by recorded ones, for X-Tapedeck-Match
};

PlayResult Player::play(const PlayRequest& request, ThreadCassettes& cassettes) const {
  Attempt attempt(*this, request, cassettes);
  attempt.play_any();
  return attempt.result();
}

PlayResult Player::play_head(const PlayRequest& request, ThreadCassettes& cassettes) const {
  PlayResult result = play(request, cassettes);
  if (result.response) {
    const PlayedRecording& recording = result.response->recording;
    result.response->prepared = recording.playable->prepare_head(request.session, recording.match);
  }
  return result;
}

PlayResult Player::play_refusal(const PlayRequest& request, ThreadCassettes& cassettes) const {
  Attempt attempt(*this, request, cassettes);
  attempt.play_refusal();
  return attempt.result();
}

PlayResult Player::play_login(const PlayRequest& request, ThreadCassettes& cassettes, const LoginOrdinal& login) {
  std::string match;
  if (request.selection) {
    if (auto played = login_in_scope(request, cassettes.at(request.selection.cassette), login)) return *played;
    match = "scope";
  }
  std::shared_ptr<const Playable> found_login;
  std::uint32_t cassette = 0;
  const auto look = [&](SequenceLookup& lookup, LookupResult& found) {
    if (found.sequences.empty() || found.how != LookupResult::How::exact) return false;
    const std::uint32_t lanes = found.scope ? found.scope->lanes : lookup.lanes(found, found.take);
    const FoundSequence& preferred = in_lane(of_take(found), lane_of(login.ordinal, lanes));
    std::optional<std::uint32_t> success = first_success(lookup, preferred);
    const FoundSequence* sequence = &preferred;
    for (auto other = found.sequences.begin(); !success && other != found.sequences.end(); ++other) {
      if ((success = first_success(lookup, *other))) sequence = &*other;
    }
    if (success || !found_login) {
      found_login = marked(lookup, lookup.playable(*sequence, success.value_or(0)));
      cassette = lookup.number();
    }
    return success.has_value();
  };
  for (const auto& lookup : cassettes) {
    if (look(*lookup, lookup->find(request.key))) break;
  }
  const bool is_in_scope = request.run_positions != nullptr;
  for (auto lookup = cassettes.begin(); !found_login && !is_in_scope && lookup != cassettes.end(); ++lookup) {
    LookupResult& found = (*lookup)->find_in_scopes(request.key);
    if (found.scope) match = "scope=" + api::scope_in_header(found.scope->name);
    (void)look(**lookup, found);
  }
  if (!found_login) return {};
  return whole_result(request, cassette, std::move(found_login), 0, 0, match);
}

bool Player::has(const PlayRequest& request, ThreadCassettes& cassettes) {
  return std::any_of(cassettes.begin(), cassettes.end(),
                     [&request](const auto& lookup) { return has_response(find_plain(request, *lookup)); });
}

std::optional<Player::TakePlace> Player::added_in(const PlayRequest& request, ThreadCassettes& cassettes) {
  for (std::size_t place = 0; place < cassettes.size(); ++place) {
    SequenceLookup& lookup = cassettes.at(place);
    if (!lookup.continued().any()) continue;
    const LookupResult& found = find_plain(request, lookup);
    if (found.how == LookupResult::How::exact && lookup.continues(found)) return TakePlace{place, found.take};
  }
  return std::nullopt;
}

bool Player::has_before(const PlayRequest& request, ThreadCassettes& cassettes, const TakePlace& take) {
  for (std::size_t place = 0; place < cassettes.size(); ++place) {
    SequenceLookup& lookup = cassettes.at(place);
    const LookupResult& found = find_plain(request, lookup);
    const bool is_earlier = place == take.cassette ? found.take < take.take : !lookup.continues(found);
    if (has_response(found) && is_earlier) return true;
  }
  return false;
}

LookupResult& Player::Attempt::find(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope) {
  bound_note_.clear();
  const Contents contents(request_.parsed.request(), lookup.policy());
  LookupResult* const found = &lookup.find(request_.key, &contents, scope);
  if (!lookup.binds() || found->how == LookupResult::How::exact || found->how == LookupResult::How::part) return *found;
  LookupResult* const bound = find_bound(lookup, scope);
  return bound != nullptr ? *bound : lookup.find(request_.key, &contents, scope);
}

/// Finds recordings for a request with live values that are tied, or can now be tied, to recorded ones.
LookupResult* Player::Attempt::find_bound(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope) {
  BoundValues& values = bound_values_of(request_);
  const std::vector<Tie> ties = values.of(lookup.cassette_id());
  const auto known = ties.empty() ? std::nullopt : recorded_key(request_.key, ties);
  if (known) {
    LookupResult& found = lookup.find(known->key, nullptr, scope);
    if (!found.sequences.empty()) {
      bound_note_ = known->note;
      return &found;
    }
  }
  const api::RequestKey& key = known ? known->key : request_.key;
  std::vector<SequenceLookup::Bindable> all = lookup.bindable(key, scope);
  const bool has_id = request_.session.kind() != Session::Kind::anonymous;
  const auto ordinal = has_id ? std::optional(request_.session.ordinal()) : std::nullopt;
  std::stable_partition(all.begin(), all.end(), [&](const SequenceLookup::Bindable& one) {
    return one.lane == lane_of(ordinal, scope ? scope->lanes : lookup.lanes(one.take));
  });
  for (const SequenceLookup::Bindable& one : all) {
    if (!values.add(one.ties)) continue;
    bound_note_ = known ? known->note : std::string();
    for (const Tie& tie : one.ties) bound_note_ = both(bound_note_, bound_note(tie));
    return &lookup.find(one.key, nullptr, scope);
  }
  if (!all.empty()) notes().tied = all.front().ties.front().param;
  return nullptr;
}

void Player::Attempt::note_ambiguous(const LookupResult& found) {
  notes().ambiguous = found.candidates;
  notes().private_params = found.private_params;
}

/// Notes the recordings that the request may mean, in their order.
void Player::Attempt::note_conflict(SequenceLookup& lookup, const FoundSequence& sequence) {
  constexpr std::uint32_t most = 5;
  for (std::uint32_t i = 0; i < std::min(sequence.info.count, most); ++i) {
    notes().conflict.push_back(lookup.playable(sequence, i)->id());
  }
}

/// Replays from the request's scope, and then from recordings without a scope. Outside of scopes, replays from
/// recordings without a scope, and then from any scope (docs/testing.md, "Scopes").
bool Player::Attempt::play_any() {
  if (request_.selection) {
    SequenceLookup& lookup = cassettes_.at(request_.selection.cassette);
    LookupResult& found = find(lookup, request_.selection.scope);
    if (found.how == LookupResult::How::ambiguous) note_ambiguous(found);
    if (found.how != LookupResult::How::nothing && play(lookup, found)) return true;
    if (notes().is_recorded()) return false;
    scope_note_ = "scope";
    return play_unscoped();
  }
  if (play_unscoped()) return true;
  if (request_.run_positions != nullptr || notes().is_recorded()) return false;
  for (const auto& lookup : cassettes_) {
    const Contents contents(request_.parsed.request(), lookup->policy());
    LookupResult& found = lookup->find_in_scopes(request_.key, &contents);
    if (found.how == LookupResult::How::ambiguous) note_ambiguous(found);
    if (found.how == LookupResult::How::nothing || found.how == LookupResult::How::ambiguous) continue;
    scope_note_ = "scope=" + api::scope_in_header(found.scope->name);
    if (play(*lookup, found)) return true;
  }
  return false;
}

bool Player::Attempt::play_unscoped() {
  constexpr std::array<LookupResult::How, 4> order = {LookupResult::How::exact, LookupResult::How::part,
                                                      LookupResult::How::redacted, LookupResult::How::loosely};
  const bool binds = cassettes_.binds();
  const std::size_t first = binds ? 0 : cassettes_.first_with(request_.key);
  // A cassette that is skipped in the first pass may have an inexact match.
  bool others = first > 0 || binds;
  for (const LookupResult::How how : order) {
    if (how != LookupResult::How::exact && !others) break;
    for (std::size_t place = how == LookupResult::How::exact ? first : 0; place < cassettes_.size(); ++place) {
      SequenceLookup& lookup = cassettes_.at(place);
      LookupResult& found = find(lookup, nullptr);
      if (found.how != how) {
        others = others || found.how != LookupResult::How::nothing;
        if (found.how == LookupResult::How::ambiguous) note_ambiguous(found);
        continue;
      }
      if (lookup.continues(found) && play_before(found, place)) return true;
      if (play(lookup, found)) return true;
    }
  }
  return false;
}

/// Replays what later cassettes have for a request that `found` continues, until the end of their sequences.
bool Player::Attempt::play_before(const LookupResult& found, std::size_t place) {
  const std::string note = bound_note_;
  for (std::size_t other = place + 1; other < cassettes_.size(); ++other) {
    SequenceLookup& lookup = cassettes_.at(other);
    LookupResult& before = find(lookup, nullptr);
    if (before.how != found.how || before.sequences.empty() || lookup.continues(before)) continue;
    if (player_.picker_.is_at_end(request_, lookup, player_.picker_.sequence(request_, lookup, before))) continue;
    if (play(lookup, before)) return true;
  }
  bound_note_ = note;
  return false;
}

bool Player::Attempt::play(SequenceLookup& lookup, LookupResult& found) {
  if (found.conditional_key.empty() || request_.ignores_conditions) return play_plain(lookup, found);
  const std::string conditions = api::conditions_of(request_.parsed.request().headers);
  if (conditions.empty()) return play_plain(lookup, found);
  LookupResult plain = found;  // The next find() invalidates what `found` refers to.
  return play_conditional(lookup, plain, conditions) || play_plain(lookup, plain);
}

bool Player::Attempt::play_plain(SequenceLookup& lookup, LookupResult& found) {
  if (!found.sequences.empty()) {
    FoundSequence& sequence = player_.picker_.sequence(request_, lookup, found);
    if (!sequence.info.is_ambiguous) return play_from(lookup, found, sequence);
    note_conflict(lookup, sequence);
    return false;
  }
  notes().hidden += found.hidden;
  if (!found.conditional_key.empty() && play_ranges(lookup, found)) return true;
  // If all recordings of a compound only report the end of sessions, it is composed from other responses to its parts.
  const bool is_compound = request_.parsed.kind() == CallKind::compound;
  notes().conditional = notes().conditional || (!found.conditional_key.empty() && !is_compound);
  return false;
}

/// Combines recorded parts to the whole body, if they cover it.
bool Player::Attempt::play_ranges(SequenceLookup& lookup, const LookupResult& plain) {
  if (request_.parsed.request().method != "GET") return false;
  // Parts that were recorded in the same state, newest take first.
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, RangeParts> states;
  for (const auto& one : lookup.ranges(plain)) {
    const std::size_t begin = one.conditions.find("Range: ") + 7;
    notes().ranges +=
        (notes().ranges.empty() ? "" : ", ") + one.conditions.substr(begin, one.conditions.find('\n', begin) - begin);
    auto playable = lookup.playable(one.sequence, 0);
    const auto part = playable->part();
    if (!part) continue;
    states[{-std::int64_t{one.sequence.take}, one.sequence.lane, playable->segment()}].emplace_back(*part, playable);
  }
  for (auto& [state, parts] : states) {
    auto body = whole_body(parts, request_.session);
    if (!body) continue;
    const Playable& first = *parts.front().second;
    const http::Headers& headers = request_.parsed.request().headers;
    const auto if_range = headers.first("If-Range");
    const auto range = !if_range || first.has_validator(*if_range) ? headers.first("Range") : std::nullopt;
    const std::string match = both(both(plain.match, scope_note_), "range");
    for (const auto& [part, playable] : parts) lookup.played(*playable);
    result_.kind = PlayResult::Kind::played;
    result_.response = PlayedResponse{lookup.number(),
                                      first.prepare_whole(request_.session, match, std::move(*body), range),
                                      {parts.front().second, 0, 1, match, scope_note_.empty()}};
    return true;
  }
  return false;
}

/// Replays a recorded response to the request's condition or range. Does nothing if the response to the plain request
/// was recorded after a write that the client has made since, or before a write that it has not made.
bool Player::Attempt::play_conditional(SequenceLookup& lookup, LookupResult& plain, const std::string& conditions) {
  const PositionPicker& picker = player_.picker_;
  LookupResult& conditional = lookup.find_conditional(plain, conditions);
  if (conditional.sequences.empty()) return false;
  conditional.match = plain.match;
  FoundSequence& sequence = picker.sequence(request_, lookup, conditional);
  const std::int64_t state = picker.state(request_, lookup, sequence);
  for (FoundSequence& other : plain.sequences) {
    const bool same_lane = other.info.take == sequence.info.take && other.info.lane == sequence.info.lane;
    if (same_lane && picker.state(request_, lookup, other) > state) return false;
  }
  return play_from(lookup, conditional, sequence);
}

bool Player::Attempt::play_from(SequenceLookup& lookup, const LookupResult& found, FoundSequence& sequence) {
  const PositionPicker& picker = player_.picker_;
  if (player_.checks_tokens_ && !request_.parsed.has_token() && lookup.used_token(*lookup.playable(sequence, 0))) {
    result_.kind = PlayResult::Kind::lacks_token;
    return true;
  }
  const auto next = picker.next(request_, lookup, sequence, plays_as_recorded(request_, found));
  if (!next) {
    notes().at_end = true;
    return false;
  }
  const auto playable = lookup.playable(sequence, next->position);
  picker.moved(request_, lookup, found, sequence, next->position);
  picker.played(request_, lookup, sequence, next->position, *playable);
  lookup.played(*playable);
  std::string match = both(both(found.match, scope_note_), bound_note_);
  if (sequence.is_part) match = both(part_note, match);
  http::PreparedReply prepared = prepare(lookup, *playable, match);
  result_.kind = PlayResult::Kind::played;
  result_.response = PlayedResponse{lookup.number(),
                                    std::move(prepared),
                                    {playable, next->position, sequence.info.count, match, scope_note_.empty(),
                                     next->in_order, next->past_end, lane_of(lookup, sequence, next->position)}};
  return true;
}

/// Returns the recorded response, a range of it, or a copy with the client's bound values.
http::PreparedReply Player::Attempt::prepare(SequenceLookup& lookup, const Playable& playable,
                                             std::string& match) const {
  const Session& session = request_.session;
  if (const auto range = asked_range(request_, playable)) {
    const std::string cut = both(match, "range");
    if (auto prepared = playable.prepare_range(session, cut, *range)) {
      match = cut;
      return *prepared;
    }
  }
  if (lookup.binds()) {
    const std::vector<Tie> ties = bound_values_of(request_).of(lookup.cassette_id());
    auto body = ties.empty() ? std::nullopt : live_text(playable.body_for(session), ties);
    if (body) return playable.prepare_body(session, match, std::move(*body));
  }
  return playable.prepare(session, match);
}

bool Player::Attempt::play_refusal() {
  if (!request_.selection || request_.parsed.kind() == CallKind::login) return false;
  SequenceLookup& lookup = cassettes_.at(request_.selection.cassette);
  const Contents contents(request_.parsed.request(), lookup.policy());
  LookupResult& found = lookup.find(request_.key, &contents, request_.selection.scope);
  if (found.sequences.empty()) return false;
  FoundSequence& sequence = player_.picker_.sequence(request_, lookup, found);
  const auto next = lookup.playable(sequence, player_.picker_.peek(request_, lookup, sequence));
  return api::ends_session(next->error_code()) && play_plain(lookup, found);
}

}  // namespace tapedeck::replay
