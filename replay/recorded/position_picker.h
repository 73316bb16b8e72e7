#pragma once
// Whose turn it is (semantics §2): which take, which lane, and which position of that sequence answers a request.

#include <cstdint>
#include <optional>
#include <span>

#include "replay/recorded/play_request.h"
#include "replay/recorded/sequence_lookup.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

/// Thread-safe; what it is told of writes lives in the sessions.
class PositionPicker {
 public:
  PositionPicker(Cursors cursors, AtEnd at_end, SessionTable& sessions)
      : cursors_(cursors), at_end_(at_end), sessions_(sessions) {}

  /// That of the request's lane, in the take of the last write that whose cursor it is has made, as long as that take
  /// has the call; else in the take that plays. What the call was told as a part of compounds plays where that is
  /// nearer to the state that the writes have made than what it was told alone. `found` has at least one sequence.
  [[nodiscard]] FoundSequence& sequence(const PlayRequest& request, SequenceLookup& lookup, Found& found) const;
  /// What plays now; nothing at the end under AtEnd::miss. Moves the cursor. Where all answers are the same they have
  /// no order.
  /// `as_recorded`: plays_as_recorded().
  [[nodiscard]] std::optional<CursorScope::Next> next(const PlayRequest& request, SequenceLookup& lookup,
                                                      FoundSequence& sequence, bool as_recorded) const;
  /// The position that next() would play, where the cursor stays.
  [[nodiscard]] std::uint32_t peek(const PlayRequest& request, SequenceLookup& lookup, FoundSequence& sequence) const;
  /// The writes of its lane after which next() would play from that sequence; below zero where not so many are made.
  /// Of two sequences of one lane, the one with the higher state is nearer to the truth.
  [[nodiscard]] std::int64_t state(const PlayRequest& request, SequenceLookup& lookup, FoundSequence& sequence) const;
  /// That position of the sequence was played: under --ignore the merged sequence that it is a part of goes on behind
  /// it.
  void moved(const PlayRequest& request, const SequenceLookup& lookup, const Found& found,
             const FoundSequence& sequence, std::uint32_t position) const;
  /// It was played from that sequence: if it writes, reads of that lane may now go behind it.
  void played(const PlayRequest& request, const SequenceLookup& lookup, const FoundSequence& sequence,
              const Playable& playable) const;

 private:
  [[nodiscard]] FoundSequence& in_turn(const PlayRequest& request, SequenceLookup& lookup, Found& found) const;
  [[nodiscard]] CursorScope& scope_of(const PlayRequest& request, const cassettes::SequenceInfo& sequence) const;

  const Cursors cursors_;
  const AtEnd at_end_;
  SessionTable& sessions_;
};

using Sequences = std::span<FoundSequence>;

/// Those of the take that plays unless a write says otherwise.
[[nodiscard]] Sequences of_take(Found& found);
/// True in a recorded scope: each answer comes in its turn (toolkit §1).
[[nodiscard]] inline bool plays_as_recorded(const PlayRequest& request, const Found& found) {
  return found.scope != nullptr && request.selection;
}
[[nodiscard]] LaneRef lane_of(const SequenceLookup& lookup, const FoundSequence& sequence);
/// The lane of the session with that ordinal, where there are so many; nothing: of calls without one.
[[nodiscard]] std::uint32_t lane_of(std::optional<std::uint32_t> ordinal, std::uint32_t lanes);
/// Of one take: the sequence of that lane, or else the first.
[[nodiscard]] FoundSequence& in_lane(Sequences all, std::uint32_t lane);
/// The first answer that says success, of a sequence without a cursor; nothing among the first 64 of them.
[[nodiscard]] std::optional<std::uint32_t> first_success(SequenceLookup& lookup, const FoundSequence& sequence);

}  // namespace tapedeck::replay
