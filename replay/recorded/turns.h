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
  /// the call; else in the take that plays. `found` has at least one sequence.
  [[nodiscard]] DeckSequence& sequence(const Visit& visit, Deck& deck, Found& found) const;
  /// The position that plays now; nothing at the end under AtEnd::miss. Moves the cursor.
  [[nodiscard]] std::optional<std::uint32_t> position(const Visit& visit, Deck& deck, DeckSequence& sequence) const;
  /// The writes of its lane after which position() would play from that sequence; not more than are made.
  [[nodiscard]] std::uint32_t state(const Visit& visit, Deck& deck, DeckSequence& sequence) const;
  /// It was played from that sequence: if it writes, reads of that lane may now go behind it.
  void played(const Visit& visit, const Deck& deck, const DeckSequence& sequence, const Playable& playable) const;

 private:
  [[nodiscard]] CursorScope& scope_of(const Visit& visit, const cassettes::SequenceInfo& sequence) const;

  const ReplayOptions& options_;
  SessionTable& sessions_;
};

using Sequences = std::span<DeckSequence>;

/// Those of the take that plays unless a write says otherwise.
[[nodiscard]] Sequences of_take(Found& found);
/// Of one take, by lane: that of the session with that ordinal (nothing: of calls without one), or else the first.
[[nodiscard]] DeckSequence& in_lane(Deck& deck, Sequences all, std::optional<std::uint32_t> ordinal);
/// The first answer that says success, of a sequence without a cursor; nothing among the first 64 of them.
[[nodiscard]] std::optional<std::uint32_t> first_success(Deck& deck, const DeckSequence& sequence);

}  // namespace tapedeck::replay
