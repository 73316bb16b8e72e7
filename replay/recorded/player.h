#pragma once
// Recorded responses (design §5, semantics §1–§4).

#include <optional>

#include "replay/recorded/play_request.h"
#include "replay/recorded/position_picker.h"
#include "replay/recorded/thread_cassettes.h"

namespace tapedeck::replay {

/// Plays from the cassettes in their order: exact keys of all cassettes, then parts of compounds, redacted places,
/// looser rules. SequenceLookup finds what is recorded for a key, PositionPicker chooses the response in it, and
/// Playable makes it ready to be sent. Thread-safe, each thread with cassettes of its own.
class Player {
 public:
  struct Options {
    Cursors cursors = Cursors::automatic;
    AtEnd at_end = AtEnd::stick;
    bool checks_tokens = false;  ///< where the recorded request had a CSRF token, so must this one (Auth::strict)
  };
  /// `sessions` have the cursors of Cursors::global, and must outlive it.
  Player(const Options& options, SessionTable& sessions)
      : checks_tokens_(options.checks_tokens), picker_(options.cursors, options.at_end, sessions) {}

  [[nodiscard]] PlayResult play(const PlayRequest& request, ThreadCassettes& cassettes) const;
  /// The same for a HEAD that was recorded as one.
  [[nodiscard]] PlayResult play_head(const PlayRequest& request, ThreadCassettes& cassettes) const;
  /// The recorded 106, 107 or 119 that is next in turn in a recorded scope, and nothing else.
  [[nodiscard]] PlayResult play_refusal(const PlayRequest& request, ThreadCassettes& cassettes) const;
  /// What that login gets: a success if there is one, else what was recorded; in a recorded scope what comes in turn.
  [[nodiscard]] static PlayResult play_login(const PlayRequest& request, ThreadCassettes& cassettes,
                                             const LoginOrdinal& login);
  /// Has any cassette a response to it? Moves no cursor.
  [[nodiscard]] static bool has(const PlayRequest& request, ThreadCassettes& cassettes);

 private:
  class Attempt;

  const bool checks_tokens_;
  const PositionPicker picker_;
};

}  // namespace tapedeck::replay
