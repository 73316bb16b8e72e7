#pragma once
// What a player is asked for, and what comes of it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/server/exchange.h"
#include "replay/recorded/recorded_scope.h"
#include "replay/request/parsed_request.h"
#include "replay/sessions/cursors.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

class Playable;

/// One request of one session. What it refers to must outlive the call that it is given to.
struct PlayRequest {
  const ParsedRequest& parsed;
  const api::RequestKey& key;
  const Session& session;
  const ScopeSelection& selection;       ///< the recorded scope that it plays; none outside of scopes
  CursorScope* scope_cursors = nullptr;  ///< of its scope's run; null outside of scopes
  bool ignores_conditions = false;       ///< play the plain response, whatever conditions and range the request has
};

/// Which login it is.
struct LoginOrdinal {
  std::uint32_t ordinal = 0;  ///< among the successful ones of its account, from 0
  std::uint32_t account = 0;  ///< Account::number
};

/// What was found but could not be played: for the miss that may come of it.
struct PlayNotes {
  std::vector<std::string> ambiguous;       ///< recordings that differ only in redacted places, or in private values
  std::vector<std::string> private_params;  ///< of these; empty: in redacted places
  std::uint64_t hidden = 0;                 ///< broken and withheld recordings of this very key
  bool at_end = false;                      ///< its sequence is over, under --at-end miss
  bool conditional = false;                 ///< only responses to a condition or range that this request does not have
  std::vector<std::string> conflict;        ///< ids of recordings that differ only in secrets without an identity
  std::string ranges;                       ///< those that are recorded of it: "bytes=0-99, bytes=100-"
  std::string tied;                         ///< a bound parameter of which all recorded values are tied already

  /// The call is recorded, and yet nothing of it can be played: nothing else may stand in for it.
  [[nodiscard]] bool is_recorded() const {
    return is_ambiguous() || hidden > 0 || at_end || conditional || !tied.empty();
  }
  [[nodiscard]] bool is_ambiguous() const { return !ambiguous.empty() || !conflict.empty(); }
};

/// Which recording a response is: for the journal.
struct PlayedRecording {
  std::shared_ptr<const Playable> playable;
  std::uint32_t position = 0;  ///< in its sequence
  std::uint32_t of = 0;        ///< responses in that sequence
  std::string match;           ///< what was not exact
  bool is_of_scope = true;     ///< false: the request is in a recorded scope, and this is not from there
  bool in_order = true;        ///< see CursorScope::Next
  bool past_end = false;       ///< likewise
  LaneRef lane{};              ///< in which it was recorded
};

/// A recorded response, ready to be sent.
struct PlayedResponse {
  std::uint32_t cassette = 0;  ///< which one it is from, in the command line's order
  http::PreparedReply prepared;
  PlayedRecording recording;
};

/// What came of a PlayRequest.
struct PlayResult {
  enum class Kind {
    nothing,      ///< nothing to play; `notes` say what was found
    played,       ///< `response` is there
    lacks_token,  ///< the recorded request had a CSRF token, and this one has none (Auth::strict)
  };
  Kind kind = Kind::nothing;
  std::optional<PlayedResponse> response;
  PlayNotes notes;
};

}  // namespace tapedeck::replay
