#pragma once
// Chooses take, lane, and position for a request (docs/matching.md, "Sequences, lanes, and positions").

#include <cstdint>
#include <optional>
#include <span>

#include "replay/recorded/play_request.h"
#include "replay/recorded/sequence_lookup.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

/// For example, one client (lane 1) recorded: list, list, create, list. The lane has one sequence for `list` with three
/// positions. Their segments, the numbers of writes before them, are 0, 0, and 1. A client in this lane that has not
/// called `create` gets positions 0 and 1, and then position 1 again (AtEnd::stick). After its `create`, it gets
/// position 2. A client in lane 2 has its own sequence and positions.
///
/// Thread-safe. The sessions store their writes.
class PositionPicker {
 public:
  struct Options {
    Cursors cursors = Cursors::automatic;
    AtEnd at_end = AtEnd::stick;
    bool repeats_at_end = false;  ///< repeat the last response of each sequence, whatever `at_end` and the rules say
  };
  PositionPicker(const Options& options, SessionTable& sessions) : options_(options), sessions_(sessions) {}

  /// Returns the sequence in the request's lane. Uses the take of its owner's last write if that has the call, or else
  /// the take that is replayed. Uses parts of compounds if they are nearer to the state after the writes. Requires that
  /// `found` has a sequence.
  [[nodiscard]] FoundSequence& sequence(const PlayRequest& request, SequenceLookup& lookup, LookupResult& found) const;
  /// Returns the response and advances the position. Returns nothing at the end with AtEnd::miss. Equal responses have
  /// no order. In a recorded scope, each response comes in order (docs/testing.md, "Scopes").
  [[nodiscard]] std::optional<PositionStore::Next> next(const PlayRequest& request, SequenceLookup& lookup,
                                                        FoundSequence& sequence, bool is_in_scope) const;
  /// Returns the position that next() would use, without advancing it.
  [[nodiscard]] std::uint32_t peek(const PlayRequest& request, SequenceLookup& lookup, FoundSequence& sequence) const;
  /// Returns the number of writes in the lane after which next() would use this sequence, or a negative number if fewer
  /// writes were made. If a lane has two sequences, the one with the higher value is preferred.
  [[nodiscard]] std::int64_t state(const PlayRequest& request, SequenceLookup& lookup, FoundSequence& sequence) const;
  /// Reports that the position was used. With --ignore, the merged sequence continues after it.
  void moved(const PlayRequest& request, const SequenceLookup& lookup, const LookupResult& found,
             const FoundSequence& sequence, std::uint32_t position) const;
  /// Reports that a response of the sequence was replayed. After a write, reads of the lane may advance past it.
  void played(const PlayRequest& request, const SequenceLookup& lookup, const FoundSequence& sequence,
              std::uint32_t position, const Playable& playable) const;

 private:
  [[nodiscard]] FoundSequence& in_turn(const PlayRequest& request, SequenceLookup& lookup, LookupResult& found) const;
  [[nodiscard]] Positions positions_of(const PlayRequest& request, SequenceLookup& lookup,
                                       FoundSequence& sequence) const;
  [[nodiscard]] PositionStore& positions_for(const PlayRequest& request, const cassettes::SequenceInfo& sequence) const;

  const Options options_;
  SessionTable& sessions_;
};

using Sequences = std::span<FoundSequence>;

/// Returns the sequences of the take to replay if no write of the client decides otherwise.
[[nodiscard]] Sequences of_take(LookupResult& found);
/// Returns the lane whose writes divide the sequence.
[[nodiscard]] LaneRef lane_of(const SequenceLookup& lookup, const FoundSequence& sequence);
/// Returns the lane in which the response at this position was recorded.
[[nodiscard]] LaneRef lane_of(const SequenceLookup& lookup, const FoundSequence& sequence, std::uint32_t position);
/// Returns the sequence of this account and lane in one take, or else the first one of the account, or of all.
[[nodiscard]] FoundSequence& in_lane(Sequences all, const RecordedSessions::Place& place);
/// Returns the first success of a sequence without positions, among the first 64 responses.
[[nodiscard]] std::optional<std::uint32_t> first_success(SequenceLookup& lookup, const FoundSequence& sequence);

}  // namespace tapedeck::replay
