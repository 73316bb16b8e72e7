#include "replay/recorded/player.h"

#include <algorithm>
#include <array>

namespace tapedeck::replay {
namespace {

// RFC 9110 §13.1, §14.2: what makes an answer 304 or 206.
constexpr std::array<std::string_view, 6> condition_names = {"If-None-Match",       "If-Modified-Since", "If-Match",
                                                             "If-Unmodified-Since", "If-Range",          "Range"};

bool same_condition(const http::Request& a, const http::Request& b) {
  return std::all_of(condition_names.begin(), condition_names.end(),
                     [&](std::string_view name) { return a.headers.first(name) == b.headers.first(name); });
}

bool has_condition(const http::Request& request) {
  return std::any_of(condition_names.begin(), condition_names.end(),
                     [&](std::string_view name) { return request.headers.contains(name); });
}

/// A sequence as one request sees it.
class AskedPositions : public Positions {
 public:
  AskedPositions(Deck& deck, const DeckSequence& sequence, const http::Request& request)
      : deck_(deck), sequence_(sequence), request_(request) {}

  [[nodiscard]] std::uint32_t count() const override { return sequence_.info.count; }
  [[nodiscard]] std::uint32_t segment(std::uint32_t position) override { return deck_.segment(sequence_, position); }
  [[nodiscard]] bool fits(std::uint32_t position) override {
    const auto playable = deck_.playable(sequence_.info, position);
    return !playable->is_conditional() || same_condition(deck_.recorded_request(*playable), request_);
  }

  /// The first 304 or 206 that was recorded for the very condition of this request. Downloads are asked for in ranges
  /// in any order, so this has no cursor.
  [[nodiscard]] std::shared_ptr<const Playable> with_same_condition() {
    constexpr std::uint32_t most = 256;
    if (!has_condition(request_)) return nullptr;
    for (std::uint32_t position = 0; position < std::min(count(), most); ++position) {
      auto playable = deck_.playable(sequence_.info, position);
      if (playable->is_conditional() && fits(position)) return playable;
    }
    return nullptr;
  }

 private:
  Deck& deck_;
  const DeckSequence& sequence_;
  const http::Request& request_;
};

/// The lane of the session with that ordinal (nothing: of calls without one), or else the first that has the key
/// (semantics §2).
const DeckSequence& in_lane(Deck& deck, const Found& found, std::optional<std::uint32_t> ordinal) {
  const std::vector<DeckSequence>& all = found.sequences;
  if (all.size() == 1) return all.front();
  const std::uint32_t lanes = deck.lanes(all.front().info.take);
  const std::uint32_t lane = !ordinal || lanes == 0 ? 0 : 1 + *ordinal % lanes;
  const auto place = std::lower_bound(all.begin(), all.end(), lane, [](const DeckSequence& one, std::uint32_t wanted) {
    return one.info.lane < wanted;
  });
  return place != all.end() && place->info.lane == lane ? *place : all.front();
}

std::shared_ptr<const Playable> marked(Deck& deck, std::shared_ptr<const Playable> playable) {
  deck.played(*playable);
  return playable;
}

/// Of a sequence without a cursor.
std::shared_ptr<const Playable> first_success(Deck& deck, const DeckSequence& sequence) {
  constexpr std::uint32_t most = 64;
  for (std::uint32_t position = 0; position < std::min(sequence.info.count, most); ++position) {
    auto playable = deck.playable(sequence.info, position);
    if (playable->error_code() == 0 && !playable->is_conditional()) return playable;
  }
  return nullptr;
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
  constexpr std::array<Found::How, 3> order = {Found::How::exact, Found::How::redacted, Found::How::loosely};
  bool others = false;
  for (const Found::How how : order) {
    if (how != Found::How::exact && !others) break;
    for (const auto& deck : thread.decks) {
      const Found& found = deck->find(visit.key());
      if (found.how != how) {
        others = others || found.how != Found::How::nothing;
        if (found.how == Found::How::ambiguous) visit.notes.ambiguous = found.candidates;
        continue;
      }
      if (found.sequences.empty()) {
        visit.notes.hidden += found.hidden;
      } else if (auto reply = play(visit, *deck, found)) {
        return reply;
      }
    }
  }
  return std::nullopt;
}

std::optional<Reply> Player::play(Visit& visit, Deck& deck, const Found& found) {
  const Session& session = visit.session();
  const bool is_anonymous = session.kind() == Session::Kind::anonymous;
  const DeckSequence& sequence = in_lane(deck, found, is_anonymous ? std::nullopt : std::optional(session.ordinal()));
  const bool strict = options_.auth == Auth::strict;
  if (strict && !visit.asked().has_token() && deck.used_token(*deck.playable(sequence.info, 0))) {
    return Reply::error(Outcome::builtin, api::ErrorCode::session_not_found);
  }
  const auto playable = choose(visit, deck, sequence);
  if (!playable) return std::nullopt;
  if (playable->effect() == api::Effect::write) {
    wrote(visit, {deck.number(), sequence.info.take, sequence.info.lane}, playable->segment());
  }
  Reply reply;
  reply.outcome = Outcome::recorded;
  reply.prepared = playable->prepare(session, found.match);
  deck.played(*playable);
  const auto position = static_cast<std::uint32_t>(playable->interaction() - sequence.info.id);
  reply.played = PlayedRecording{playable, position, sequence.info.count, found.match};
  return reply;
}

std::shared_ptr<const Playable> Player::choose(Visit& visit, Deck& deck, const DeckSequence& sequence) {
  AskedPositions positions(deck, sequence, visit.asked().request());
  if (auto same = positions.with_same_condition()) return same;
  if (visit.asked().kind() == CallKind::info) {
    if (auto playable = first_success(deck, sequence)) return playable;
  }
  if (sequence.info.count == 1 && options_.at_end == AtEnd::stick) {
    auto playable = deck.playable(sequence.info, 0);
    visit.notes.conditional = playable->is_conditional();
    return playable->is_conditional() ? nullptr : playable;
  }
  const LaneRef lane{deck.number(), sequence.info.take, sequence.info.lane};
  const auto position =
      scope_of(visit, sequence.info).next({deck.number(), sequence.info.id}, lane, positions, options_.at_end);
  if (position) return deck.playable(sequence.info, *position);
  visit.notes.at_end = options_.at_end == AtEnd::miss;
  visit.notes.conditional = !visit.notes.at_end;
  return nullptr;
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
void Player::wrote(const Visit& visit, const LaneRef& lane, std::uint32_t segment) const {
  if (visit.named_cursors) {
    visit.named_cursors->wrote(lane, segment);
  } else if (options_.cursors == Cursors::global) {
    sessions_.global().wrote(lane, segment);
  } else {
    visit.session().cursors().wrote(lane, segment);
    visit.session().account().cursors.wrote(lane, segment);
  }
}

std::optional<Reply> Player::login(Visit& visit, ThreadState& thread, std::uint32_t ordinal) {
  std::shared_ptr<const Playable> found_login;
  for (const auto& deck : thread.decks) {
    const Found& found = deck->find(visit.key());
    if (found.sequences.empty() || found.how != Found::How::exact) continue;
    const DeckSequence& preferred = in_lane(*deck, found, ordinal);
    std::shared_ptr<const Playable> success = first_success(*deck, preferred);
    for (auto sequence = found.sequences.begin(); !success && sequence != found.sequences.end(); ++sequence) {
      success = first_success(*deck, *sequence);
    }
    if (success || !found_login) found_login = marked(*deck, success ? success : deck->playable(preferred.info, 0));
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
