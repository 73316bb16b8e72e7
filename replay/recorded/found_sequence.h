#pragma once
// A recorded sequence as a key finds it.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// A sequence with its known segments.
struct FoundSequence {
  cassettes::SequenceInfo info;
  bool is_part = false;  ///< true if it consists of parts of compounds
  /// Segments of the first and the last response. They are read when needed, to check that no write is between them.
  std::optional<std::uint32_t> first_segment, last_segment;
  std::optional<bool> has_different_answers;
  /// Responses of several recorded sequences of one take and lane in recorded order (--ignore). `info` has the members
  /// that all of them share, and their total count.
  struct Merged {
    struct Place {
      std::uint32_t member = 0, position = 0, segment = 0;
    };
    std::vector<cassettes::SequenceInfo> members;
    std::vector<Place> places;
  };
  std::shared_ptr<const Merged> merged;  ///< null for a single sequence

  /// The recorded sequence of a position, and the position in it.
  struct Recorded {
    const cassettes::SequenceInfo& sequence;
    std::uint32_t position = 0;
  };
  [[nodiscard]] Recorded recorded(std::uint32_t position) const {
    if (!merged) return {info, position};
    const Merged::Place& place = merged->places.at(position);
    return {merged->members[place.member], place.position};
  }
  /// Returns true if it only reports the end of sessions. Such sequences are skipped outside of scopes (docs/replay.md,
  /// "Sequences, lanes, and positions").
  [[nodiscard]] bool only_ends_sessions() const;
};

}  // namespace tapedeck::replay
