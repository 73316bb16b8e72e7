#pragma once
// Defines the request and the result of a player.

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

/// One request of one session. Its references must outlive the call.
struct PlayRequest {
  const ParsedRequest& parsed;
  const api::RequestKey& key;
  const Session& session;
  const ScopeSelection& selection;         ///< the recorded scope; empty outside of scopes
  PositionStore* run_positions = nullptr;  ///< cursors of the scope's run; null outside of scopes
  bool needs_whole = false;                ///< replay the whole body, whatever the request's conditions and range are
};

/// Identifies a login.
struct LoginOrdinal {
  std::uint32_t ordinal = 0;  ///< index among the successful logins of the account, from 0
  std::uint32_t account = 0;  ///< Account::number
};

/// Recordings that were found but could not be replayed, for the explanation of a miss.
struct PlayNotes {
  std::vector<std::string> ambiguous;  ///< recordings that differ only in redacted places, or in private values
  /// Parameters in which they differ; empty if they differ in redacted places.
  std::vector<std::string> private_params;
  std::uint64_t hidden = 0;           ///< broken and withheld recordings of this key
  bool at_end = false;                ///< true if the sequence has ended, with --at-end miss
  std::vector<std::string> conflict;  ///< IDs of recordings that differ only in secrets without an identity
  std::string tied;                   ///< a bound parameter for which all recorded values are tied

  /// Returns true if the call is recorded but cannot be replayed. No other response may replace it.
  [[nodiscard]] bool is_recorded() const { return is_ambiguous() || hidden > 0 || at_end || !tied.empty(); }
  [[nodiscard]] bool is_ambiguous() const { return !ambiguous.empty() || !conflict.empty(); }
};

/// Identifies the recording of a response, for the journal.
struct PlayedRecording {
  std::shared_ptr<const Playable> playable;
  std::uint32_t position = 0;  ///< position in its sequence
  std::uint32_t of = 0;        ///< number of responses in that sequence
  std::string match;           ///< description of an inexact match, for X-Tapedeck-Match
  bool is_of_scope = true;     ///< false if the request is in a recorded scope, but this recording is not
  bool in_order = true;        ///< see PositionStore::Next
  bool past_end = false;       ///< see PositionStore::Next
  LaneRef lane{};              ///< lane of the recording
};

/// A recorded response, ready to be sent.
struct PlayedResponse {
  std::uint32_t cassette = 0;  ///< index on the command line
  http::PreparedReply prepared;
  PlayedRecording recording;
};

/// The result of a PlayRequest.
struct PlayResult {
  enum class Kind {
    nothing,      ///< nothing was replayed; see `notes`
    played,       ///< there is a `response`
    lacks_token,  ///< the recorded request had a CSRF token, and this one has none (Auth::strict)
  };
  Kind kind = Kind::nothing;
  std::optional<PlayedResponse> response;
  PlayNotes notes;
};

}  // namespace tapedeck::replay
