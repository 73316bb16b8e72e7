#include "replay/recorded/player.h"

#include <algorithm>
#include <array>

#include "api/envelope.h"
#include "replay/recorded/account_search.h"
#include "replay/recorded/match.h"

namespace tapedeck::replay {
namespace {

std::shared_ptr<const Playable> marked(SequenceLookup& lookup, std::shared_ptr<const Playable> playable) {
  lookup.played(*playable);
  return playable;
}

/// Returns the range that the request asks for, or an empty text.
std::string_view range_of(const PlayRequest& request) {
  const http::Request& message = request.parsed.request();
  if (request.needs_whole || message.method != "GET" || request.parsed.is_head()) return {};
  return message.headers.first("Range").value_or(std::string_view());
}

LookupRequest lookup_request(const PlayRequest& request, const AccountFilter& accounts) {
  return {&request.parsed.request(), range_of(request), accounts, request.headers};
}

/// Returns the same without a range.
LookupRequest whole_request(const PlayRequest& request, const AccountFilter& accounts) {
  return {nullptr, {}, accounts, request.headers};
}

/// Returns true if the client has the recorded body already (RFC 9110 §13.2.2).
bool is_unchanged(const PlayRequest& request, const Playable& playable) {
  const http::Request& message = request.parsed.request();
  if (request.needs_whole || playable.status() != 200 || message.method != "GET") return false;
  if (const auto tags = message.headers.first("If-None-Match")) return playable.has_tag(*tags);
  const auto since = message.headers.first("If-Modified-Since");
  return since && playable.has_validator(*since);
}

/// Joins two notes for X-Tapedeck-Match.
std::string both(const std::string& match, const std::string& note) {
  return match.empty() || note.empty() ? match + note : match + ", " + note;
}

constexpr const char* part_note = "part of a recorded compound";

/// Returns the owner's bound values: those of the scope's run, or else of the account, or of the session if it has no
/// login.
BoundValues& bound_values_of(const PlayRequest& request) {
  return request.run_positions != nullptr ? request.run_positions->bound : request.session.account().cursors.bound;
}

/// Returns the reply with the whole response of a recorded login.
Reply login_reply(const PlayRequest& request, std::uint32_t cassette, std::shared_ptr<const Playable> playable,
                  std::uint32_t position, std::uint32_t of, const std::string& match) {
  http::PreparedReply prepared = playable->prepare(request.session, match);
  return Reply::recorded(cassette, std::move(prepared), {std::move(playable), position, of, match, match.empty()});
}

/// Finds the recordings of the client's account.
AccountFind find_of(const Client& client, const PlayRequest& request, SequenceLookup& lookup,
                    const std::shared_ptr<const RecordedScope>& scope, const FindWith& find) {
  if (!lookup.accounts(scope).has_several()) return {&find({})};
  return find_for_account(client, request.sessions, lookup, scope, find);
}

LookupResult& find_plain(const PlayRequest& request, SequenceLookup& lookup) {
  return *find_of(
              Client::of(request.session), request, lookup, nullptr,
              [&](const AccountFilter& filter) -> auto& {
                return lookup.find(request.key, lookup_request(request, filter));
              })
              .found;
}

bool has_response(const LookupResult& found) {
  return !found.sequences.empty() && found.how != LookupResult::How::nothing &&
         found.how != LookupResult::How::ambiguous;
}

/// Replays a login in a recorded scope, where the recorded logins of each account have their own position.
std::optional<Reply> login_in_scope(const PlayRequest& request, SequenceLookup& lookup, const Client& client) {
  const LookupResult& found = lookup.find(request.key, whole_request(request, {}), request.selection.scope);
  if (found.sequences.empty() || found.how != LookupResult::How::exact) return std::nullopt;
  const auto tie = tie_of(client, request.sessions, lookup, found.scope);
  const auto account = tie ? found.scope->accounts.number(found.scope->take, tie->accounts) : std::nullopt;
  const std::vector<SequenceLookup::Login> logins = lookup.logins(found, account.value_or(0));
  if (logins.empty()) return std::nullopt;
  const std::int64_t first = logins.front().sequence.id + logins.front().position;
  const std::uint32_t at = request.run_positions->next_login({lookup.cassette_id(), first}, logins.size());
  auto playable = marked(lookup, lookup.playable(logins[at].sequence, logins[at].position));
  const bool is_by_order = tie && std::find(tie->by_order.begin(), tie->by_order.end(), true) != tie->by_order.end();
  Reply reply = login_reply(request, lookup.number(), std::move(playable), at,
                            static_cast<std::uint32_t>(logins.size()), is_by_order ? "account=order" : "");
  reply.played->is_of_scope = true;
  return reply;
}

}  // namespace

/// Searches the cassettes for one request.
class Player::Attempt {
 public:
  Attempt(const Player& player, const PlayRequest& request, ThreadCassettes& cassettes, NotPlayed& why)
      : player_(player), request_(request), cassettes_(cassettes), why_(why) {}

  [[nodiscard]] std::optional<Reply> play_any();
  [[nodiscard]] std::optional<Reply> play_refusal();

 private:
  /// Notes a reason, unless one that takes precedence is known.
  void note(NotPlayed why) {
    if (why.index() > why_.index()) why_ = std::move(why);
  }
  /// Finds recordings by the exact key, then with the values that the client has bound, and then in other ways.
  [[nodiscard]] LookupResult& find(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope);
  [[nodiscard]] LookupResult& find_with(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope,
                                        const AccountFilter& filter);
  [[nodiscard]] LookupResult* find_bound(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope,
                                         const AccountFilter& filter);
  void note_ambiguous(const LookupResult& found);
  void note_conflict(SequenceLookup& lookup, const FoundSequence& sequence);

  [[nodiscard]] std::optional<Reply> play_unscoped();
  [[nodiscard]] std::optional<Reply> play(SequenceLookup& lookup, LookupResult& found);
  [[nodiscard]] std::optional<Reply> play_from(SequenceLookup& lookup, const LookupResult& found,
                                               FoundSequence& sequence);
  [[nodiscard]] http::PreparedReply prepare(SequenceLookup& lookup, const Playable& playable, std::string& match) const;

  const Player& player_;
  const PlayRequest& request_;
  ThreadCassettes& cassettes_;
  NotPlayed& why_;
  AccountFind account_;     ///< result of the last find()
  std::string scope_note_;  ///< how the scope differs, for X-Tapedeck-Match
  std::string bound_note_;  ///< parameters whose live values were replaced by recorded ones, for X-Tapedeck-Match
};

std::optional<Reply> Player::play(const PlayRequest& request, ThreadCassettes& cassettes, NotPlayed& why) const {
  return Attempt(*this, request, cassettes, why).play_any();
}

std::optional<Reply> Player::play_head(const PlayRequest& request, ThreadCassettes& cassettes) const {
  NotPlayed why;
  auto reply = play(request, cassettes, why);
  if (reply && reply->played) {
    reply->prepared = reply->played->playable->prepare_head(request.session, reply->played->match);
  }
  return reply;
}

std::optional<Reply> Player::play_refusal(const PlayRequest& request, ThreadCassettes& cassettes) const {
  NotPlayed why;
  return Attempt(*this, request, cassettes, why).play_refusal();
}

std::optional<Reply> Player::play_login(const PlayRequest& request, ThreadCassettes& cassettes, const Client& client) {
  std::string match;
  if (request.selection) {
    if (auto played = login_in_scope(request, cassettes.at(request.selection.cassette), client)) return played;
    match = "scope";
  }
  std::shared_ptr<const Playable> found_login;
  std::uint32_t cassette = 0;
  AccountFind chosen;
  const auto look = [&](SequenceLookup& lookup, LookupResult& found) {
    if (found.sequences.empty() || found.how != LookupResult::How::exact) return false;
    const FoundSequence& preferred =
        in_lane(of_take(found), place_of(client, request.sessions, lookup, found, found.take));
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
    const AccountFind found = find_of(
        client, request, *lookup, nullptr, [&](const AccountFilter& filter) -> auto& {
          return lookup->find(request.key, whole_request(request, filter));
        });
    const bool had_one = found_login != nullptr;
    const bool succeeded =
        look(*lookup, found.other_account ? lookup->find(request.key, whole_request(request, {})) : *found.found);
    if (succeeded || !had_one) chosen = found;
    if (succeeded) break;
  }
  if (!found_login) return std::nullopt;
  Reply reply = login_reply(request, cassette, std::move(found_login), 0, 0, both(match, std::string(chosen.note)));
  reply.played->is_of_scope = match.empty();
  reply.played->account_differs = chosen.differs;
  return reply;
}

bool Player::has(const PlayRequest& request, ThreadCassettes& cassettes) {
  return std::any_of(cassettes.begin(), cassettes.end(),
                     [&request](const auto& lookup) { return has_response(find_plain(request, *lookup)); });
}

LookupResult& Player::Attempt::find(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope) {
  account_ = {};
  if (!lookup.accounts(scope).has_several()) return find_with(lookup, scope, {});
  account_ = find_for_account(
      Client::of(request_.session), request_.sessions, lookup,
      scope, [&](const AccountFilter& filter) -> auto& { return find_with(lookup, scope, filter); });
  auto* const nothing = std::get_if<Nothing>(&why_);
  if (nothing != nullptr && account_.other_account) nothing->has_other_account = true;
  return *account_.found;
}

LookupResult& Player::Attempt::find_with(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope,
                                         const AccountFilter& filter) {
  bound_note_.clear();
  const LookupRequest request = lookup_request(request_, filter);
  LookupResult* const found = &lookup.find(request_.key, request, scope);
  auto* const nothing = std::get_if<Nothing>(&why_);
  if (nothing != nullptr && nothing->other_headers.empty()) nothing->other_headers = found->other_headers;
  if (!lookup.binds() || found->how == LookupResult::How::exact || found->how == LookupResult::How::part) return *found;
  LookupResult* const bound = find_bound(lookup, scope, filter);
  return bound != nullptr ? *bound : lookup.find(request_.key, request, scope);
}

/// Finds recordings for a request with live values that are tied, or can now be tied, to recorded ones.
LookupResult* Player::Attempt::find_bound(SequenceLookup& lookup, const std::shared_ptr<const RecordedScope>& scope,
                                          const AccountFilter& filter) {
  BoundValues& values = bound_values_of(request_);
  const std::vector<Tie> ties = values.of(lookup.cassette_id());
  const auto known = ties.empty() ? std::nullopt : recorded_key(request_.key, ties);
  if (known) {
    LookupResult& found = lookup.find(known->key, {nullptr, range_of(request_), filter, request_.headers}, scope);
    if (!found.sequences.empty()) {
      bound_note_ = known->note;
      return &found;
    }
  }
  const api::RequestKey& key = known ? known->key : request_.key;
  std::vector<SequenceLookup::Bindable> all = lookup.bindable(key, scope, whole_request(request_, filter));
  const Client client = Client::of(request_.session);
  LookupResult of_scope;
  of_scope.scope = scope;
  of_scope.tied = filter.tied;
  std::stable_partition(all.begin(), all.end(), [&](const SequenceLookup::Bindable& one) {
    const auto place = place_of(client, request_.sessions, lookup, of_scope, one.take);
    return one.lane == place.lane && one.account == place.account;
  });
  for (const SequenceLookup::Bindable& one : all) {
    if (!values.add(one.ties)) continue;
    bound_note_ = known ? known->note : std::string();
    for (const Tie& tie : one.ties) bound_note_ = both(bound_note_, bound_note(tie));
    return &lookup.find(one.key, {nullptr, range_of(request_), filter, request_.headers}, scope);
  }
  if (!all.empty()) note(AllTied{all.front().ties.front().param});
  return nullptr;
}

void Player::Attempt::note_ambiguous(const LookupResult& found) {
  const bool by_private = !found.private_params.empty();
  note(Ambiguous{by_private ? Ambiguous::By::private_values : Ambiguous::By::redacted, found.candidates,
                 found.private_params});
}

/// Notes the recordings that the request may mean, in their order.
void Player::Attempt::note_conflict(SequenceLookup& lookup, const FoundSequence& sequence) {
  constexpr std::uint32_t most = 5;
  Ambiguous why{Ambiguous::By::secrets};
  for (std::uint32_t i = 0; i < std::min(sequence.info.count, most); ++i) {
    why.recordings.push_back(lookup.playable(sequence, i)->id());
  }
  note(std::move(why));
}

/// Replays from the request's scope, and then from recordings without a scope (docs/testing.md, "Scopes").
std::optional<Reply> Player::Attempt::play_any() {
  if (!request_.selection) return play_unscoped();
  SequenceLookup& lookup = cassettes_.at(request_.selection.cassette);
  LookupResult& found = find(lookup, request_.selection.scope);
  if (found.how == LookupResult::How::ambiguous) note_ambiguous(found);
  if (found.how != LookupResult::How::nothing) {
    if (auto reply = play(lookup, found)) return reply;
  }
  if (is_recorded(why_)) return std::nullopt;
  scope_note_ = "scope";
  return play_unscoped();
}

std::optional<Reply> Player::Attempt::play_unscoped() {
  constexpr std::array<LookupResult::How, 4> order = {LookupResult::How::exact, LookupResult::How::part,
                                                      LookupResult::How::redacted, LookupResult::How::loosely};
  const bool binds = cassettes_.binds() || !range_of(request_).empty();
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
      } else if (auto reply = play(lookup, found)) {
        return reply;
      }
    }
  }
  return std::nullopt;
}

std::optional<Reply> Player::Attempt::play(SequenceLookup& lookup, LookupResult& found) {
  if (found.sequences.empty()) {
    const auto* const before = std::get_if<Hidden>(&why_);
    if (found.hidden > 0 && before == nullptr) note(Hidden{found.hidden});
    if (found.hidden > 0 && before != nullptr) why_ = Hidden{before->count + found.hidden};
    return std::nullopt;
  }
  FoundSequence& sequence = player_.picker_.sequence(request_, lookup, found);
  if (!sequence.info.is_ambiguous) return play_from(lookup, found, sequence);
  note_conflict(lookup, sequence);
  return std::nullopt;
}

std::optional<Reply> Player::Attempt::play_from(SequenceLookup& lookup, const LookupResult& found,
                                                FoundSequence& sequence) {
  const PositionPicker& picker = player_.picker_;
  if (player_.checks_tokens_ && !request_.parsed.has_token() && lookup.used_token(*lookup.playable(sequence, 0))) {
    return Reply::error(Outcome::builtin, api::ErrorCode::session_not_found);
  }
  const auto next = picker.next(request_, lookup, sequence, found.scope != nullptr);
  if (!next) {
    note(Ended{});
    return std::nullopt;
  }
  const auto playable = lookup.playable(sequence, next->position);
  picker.moved(request_, lookup, found, sequence, next->position);
  picker.played(request_, lookup, sequence, next->position, *playable);
  lookup.played(*playable);
  std::string match = both(both(both(found.match, scope_note_), bound_note_), std::string(account_.note));
  if (sequence.is_part) match = both(part_note, match);
  http::PreparedReply prepared = prepare(lookup, *playable, match);
  return Reply::recorded(lookup.number(), std::move(prepared),
                         {playable, next->position, sequence.info.count, match, scope_note_.empty(), next->in_order,
                          next->past_end, next->wait, account_.differs, lane_of(lookup, sequence, next->position)});
}

/// Returns the recorded response, a 304 or a range in its place, or a copy with the client's bound values.
http::PreparedReply Player::Attempt::prepare(SequenceLookup& lookup, const Playable& playable,
                                             std::string& match) const {
  const Session& session = request_.session;
  if (is_unchanged(request_, playable)) return playable.prepare_unchanged(session, match);
  // The address in the body is exchanged later, which changes its length.
  const bool has_final_length = playable.device().empty();
  const std::string_view range = playable.status() == 200 && has_final_length ? range_of(request_) : std::string_view();
  const auto if_range = request_.parsed.request().headers.first("If-Range");
  if (!range.empty() && (!if_range || playable.has_validator(*if_range))) {
    const std::string cut = both(match, "range");
    if (auto prepared = playable.prepare_range(session, cut, range)) {
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

std::optional<Reply> Player::Attempt::play_refusal() {
  if (!request_.selection || request_.parsed.kind() == CallKind::login) return std::nullopt;
  SequenceLookup& lookup = cassettes_.at(request_.selection.cassette);
  LookupResult& found = find(lookup, request_.selection.scope);
  if (found.sequences.empty()) return std::nullopt;
  FoundSequence& sequence = player_.picker_.sequence(request_, lookup, found);
  const auto next = lookup.playable(sequence, player_.picker_.peek(request_, lookup, sequence));
  return api::ends_session(next->error_code()) ? play(lookup, found) : std::nullopt;
}

}  // namespace tapedeck::replay
