#pragma once
// Whose turn it is (semantics §2): which take, which lane, and which position of that sequence answers a request.

#include <cstdint>
#include <optional>
#include <span>

#include "replay/recorded/cursors.h"
#include "replay/recorded/deck.h"
#include "replay/replay_options.h"
#include "replay/sessions/session_table.h"
#include "replay/visit.h"

namespace tapedeck::replay {

/// Thread-safe; what it is told of writes lives in the sessions.
class Turns {
 public:
  Turns(const ReplayOptions& options, SessionTable& sessions) : options_(options), sessions_(sessions) {}

  /// That of the visit's lane, in the take of the last write that whose cursor it is has made, as long as that take has
  /// the call; else in the take that plays. What the call was told as a part of compounds plays where that is nearer to
  /// the state that the writes have made than what it was told alone. `found` has at least one sequence.
  [[nodiscard]] DeckSequence& sequence(const Visit& visit, Deck& deck, Found& found) const;
  /// What plays now; nothing at the end under AtEnd::miss. Moves the cursor. Where all answers are the same they have
  /// no order.
  /// `as_recorded`: plays_as_recorded().
  [[nodiscard]] std::optional<CursorScope::Next> next(Visit& visit, Deck& deck, DeckSequence& sequence,
                                                      bool as_recorded) const;
  /// The position that next() would play, where the cursor stays.
  [[nodiscard]] std::uint32_t peek(const Visit& visit, Deck& deck, DeckSequence& sequence) const;
  /// The writes of its lane after which next() would play from that sequence; below zero where not so many are made.
  /// Of two sequences of one lane, the one with the higher state is nearer to the truth.
  [[nodiscard]] std::int64_t state(const Visit& visit, Deck& deck, DeckSequence& sequence) const;
  /// That position of the sequence was played: under --ignore the merged sequence that it is a part of goes on behind
  /// it.
  void moved(const Visit& visit, const Deck& deck, const Found& found, const DeckSequence& sequence,
             std::uint32_t position) const;
  /// It was played from that sequence: if it writes, reads of that lane may now go behind it.
  void played(const Visit& visit, const Deck& deck, const DeckSequence& sequence, const Playable& playable) const;

 private:
  [[nodiscard]] DeckSequence& in_turn(const Visit& visit, Deck& deck, Found& found) const;
  [[nodiscard]] CursorScope& scope_of(const Visit& visit, const cassettes::SequenceInfo& sequence) const;

  const ReplayOptions& options_;
  SessionTable& sessions_;
};

using Sequences = std::span<DeckSequence>;

/// Those of the take that plays unless a write says otherwise.
[[nodiscard]] Sequences of_take(Found& found);
/// True in a recorded scope: each answer comes in its turn (toolkit §1).
[[nodiscard]] inline bool plays_as_recorded(const Visit& visit, const Found& found) {
  return found.scope != nullptr && visit.tape;
}
[[nodiscard]] LaneRef lane_of(const Deck& deck, const DeckSequence& sequence);
/// The lane of the session with that ordinal, where there are so many; nothing: of calls without one.
[[nodiscard]] std::uint32_t lane_of(std::optional<std::uint32_t> ordinal, std::uint32_t lanes);
/// Of one take: the sequence of that lane, or else the first.
[[nodiscard]] DeckSequence& in_lane(Sequences all, std::uint32_t lane);
/// The first answer that says success, of a sequence without a cursor; nothing among the first 64 of them.
[[nodiscard]] std::optional<std::uint32_t> first_success(Deck& deck, const DeckSequence& sequence);

}  // namespace tapedeck::replay
