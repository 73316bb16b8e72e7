#pragma once
// A recorded sequence as replay uses it: whole, as a part of one, or several that were merged.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// How the headers of a recorded request match those of a client.
enum class HeaderMatch {
  none,
  redacted,  ///< they are equal except for redacted values, which are unknown
  exact,
};

/// A sequence with its known segments.
struct FoundSequence {
  cassettes::SequenceInfo info;
  bool is_part = false;  ///< true if it consists of parts of compounds
  /// Segments of the first and the last response. They are read when needed, to check that no write is between them.
  std::optional<std::uint32_t> first_segment, last_segment;
  std::optional<bool> has_different_answers;
  HeaderMatch header_match = HeaderMatch::exact;
  std::string headers;  ///< for HeaderMatch::redacted: the text of RequestIdentities
  /// For an ambiguous sequence whose requests also have headers that tell them apart: the secrets of each request.
  std::set<std::string> request_secrets;
  /// Responses that are chosen from one recorded sequence by the headers of their requests, or that come from several
  /// of one take and lane (--ignore), in recorded order. `info` has the members that all of them share, and their total
  /// count.
  struct Merged {
    struct Place {
      std::uint32_t member = 0, position = 0, segment = 0;
      cassettes::TurnFacts facts;
    };
    std::vector<cassettes::SequenceInfo> members;
    std::vector<Place> places;
  };
  std::shared_ptr<const Merged> merged;  ///< null for a whole sequence

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
