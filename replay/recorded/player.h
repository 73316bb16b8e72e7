#pragma once
// Replays recorded responses (docs/replay.md).

#include <optional>

#include "replay/recorded/play_request.h"
#include "replay/recorded/position_picker.h"
#include "replay/recorded/reply.h"
#include "replay/recorded/thread_cassettes.h"

namespace tapedeck::replay {

/// Searches the cassettes in order: exact keys of all cassettes, then parts of compounds, redacted places, and looser
/// rules. SequenceLookup finds the recordings for a key, PositionPicker chooses the response, and Playable prepares it
/// for sending. Thread-safe; each thread has its own cassettes.
class Player {
 public:
  struct Options {
    PositionPicker::Options positions;
    /// If the recorded request had a CSRF token, require one in this request (Auth::strict).
    bool checks_tokens = false;
  };
  /// `sessions` have the positions of Cursors::global and must outlive it.
  Player(const Options& options, SessionTable& sessions)
      : checks_tokens_(options.checks_tokens), picker_(options.positions, sessions) {}

  /// Replays the request. Returns nothing, and the reason, if there is no response. With Auth::strict, refuses a
  /// request without a CSRF token if the recorded one had one.
  [[nodiscard]] std::optional<Reply> play(const PlayRequest& request, ThreadCassettes& cassettes, NotPlayed& why) const;
  /// Replays a HEAD request that was recorded as one.
  [[nodiscard]] std::optional<Reply> play_head(const PlayRequest& request, ThreadCassettes& cassettes) const;
  /// Returns the next response in a recorded scope if it is 106, 107, or 119, and nothing otherwise.
  [[nodiscard]] std::optional<Reply> play_refusal(const PlayRequest& request, ThreadCassettes& cassettes) const;
  /// Returns the response to a login: a success if there is one, and otherwise any recorded response. In a recorded
  /// scope, returns the next one.
  [[nodiscard]] static std::optional<Reply> play_login(const PlayRequest& request, ThreadCassettes& cassettes,
                                                       const Client& client);
  /// Returns true if a cassette has a response. Does not change positions.
  [[nodiscard]] static bool has(const PlayRequest& request, ThreadCassettes& cassettes);

 private:
  class Attempt;

  const bool checks_tokens_;
  const PositionPicker picker_;
};

}  // namespace tapedeck::replay
