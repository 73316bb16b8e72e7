#pragma once
// Defines the request of a player, and the reasons why it replays nothing.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "replay/recorded/recorded_scope.h"
#include "replay/request/parsed_request.h"
#include "replay/sessions/cursors.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

/// One request of one session. Its references must outlive the call.
struct PlayRequest {
  const ParsedRequest& parsed;
  const api::RequestKey& key;
  const Session& session;
  const ScopeSelection& selection;         ///< the recorded scope; empty outside of scopes
  PositionStore* run_positions = nullptr;  ///< cursors of the scope's run; null outside of scopes
  PositionStore* connection = nullptr;     ///< cursors of the socket.io connection of a poll; null for other requests
  SessionTable& sessions;                  ///< the table of the session
  std::string headers = {};                ///< result of identity_of()
  bool needs_whole = false;                ///< replay the whole body, whatever the request's conditions and range are
};

/// Identifies the session of a request for a recording.
struct Client {
  enum class Kind {
    no_session,
    foreign,  ///< the session's login is unknown, or has no name
    account,
  };
  Kind kind = Kind::no_session;
  std::uint32_t account = 0;  ///< Account::number
  SessionIndex index{};       ///< among the sessions of the account, or of foreign ones

  [[nodiscard]] static Client of(const Session& session);
  /// Returns the client of an account's next session.
  [[nodiscard]] static Client of(const Account& account, bool has_handshake);
};

// Why a request has no response from recordings, for the explanation of a miss.

/// No recording matches, or only those of other accounts or with other headers.
struct Nothing {
  bool has_other_account = false;
  std::string other_headers = {};  ///< names of headers with other values in the recordings
};
/// All recordings of the key are broken or withheld.
struct Hidden {
  std::uint64_t count = 0;
};
/// The sequence has ended, with --at-end miss.
struct Ended {};
/// All recorded values of a bound parameter are tied to other values.
struct AllTied {
  std::string param;
};
/// Several recordings match.
struct Ambiguous {
  enum class By {
    redacted,        ///< they differ only in redacted places
    private_values,  ///< they differ only in the private values of `params`
    secrets,         ///< they differ only in secrets without an identity
  };
  By by = By::redacted;
  std::vector<std::string> recordings{};  ///< their keys, or with By::secrets their IDs
  std::vector<std::string> params{};
};

/// A reason takes precedence over those before it.
using NotPlayed = std::variant<Nothing, Hidden, Ended, AllTied, Ambiguous>;
/// Returns true if the request is recorded but cannot be replayed. No other response may replace it.
[[nodiscard]] inline bool is_recorded(const NotPlayed& why) { return !std::holds_alternative<Nothing>(why); }

}  // namespace tapedeck::replay
