#pragma once
// The steps of an answer (answer.h).

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/chain/ledger.h"
#include "replay/chain/replay_options.h"
#include "replay/overlays/overlay_store.h"
#include "replay/recorded/match.h"
#include "replay/recorded/player.h"
#include "replay/sessions/scopes.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

namespace weblogin {
class ServerKeys;
}

/// The explanation of a miss, for the client and the log. Contains no values of the client, only names of parameters
/// and scrubbed recorded keys.
struct MissReport {
  struct Nearest {
    std::string key;
    Comparison comparison;
  };
  api::ErrorCode code = api::ErrorCode::unknown;
  std::string key;               ///< "SVC.Core.Share/1/list", or "GET /pictures/1.png"
  std::string params;            ///< names of the request's parameters: " (additional, limit)"
  std::string reason;            ///< a short text for the header X-Tapedeck-Miss
  std::vector<Nearest> nearest;  ///< at most three, nearest first
  std::string hint;              ///< how to get a response, in one sentence
  /// The remedy as options of `tapedeck exec`, for test runners, which show their own command; otherwise empty.
  std::vector<std::string> remedy;
  /// Commands, one of which helps if the test of an unknown scope was renamed. That of the most similar name is first.
  std::vector<std::string> renames;
  /// For a write: an overlay block with an effect that would respond to it; otherwise empty.
  std::string effect;
  bool is_ambiguous = false;            ///< true if more than one recording matches
  std::vector<std::string> recordings;  ///< IDs of possible recordings, if `nearest` does not name them

  /// Returns the value of `error.errors`: {"tapedeck": {…}}.
  [[nodiscard]] std::string errors_json() const;
  /// Returns one line for the log, without the hint.
  [[nodiscard]] std::string line() const;
};

/// The services of a replay server that the steps share.
struct Services {
  const ReplayOptions& options;
  Scopes& scopes;
  const PlayedScopes& played_scopes;  ///< determines which scopes are recorded if there is an end
  OverlayStore& overlays;
  DeviceKnowledge& knowledge;
  const Player& player;
  const MintShapes& shapes;  ///< shapes of the values of sessions without a recorded login
  const weblogin::ServerKeys& web_keys;
  Ledger& ledger;  ///< counts each reply
  /// Called for each miss, from any loop thread.
  std::function<void(const RequestContext& context, const MissReport& report)> seen_miss;
  /// Called from any loop thread. Reports each distinct line once.
  std::function<void(const std::string& line)> warn;
};

// The steps of answer(). Each one returns a reply, or nothing if the request goes on to the next step. Thread-safe.

/// Assigns the request its scope's run and its session, and refuses calls whose session has ended or is unknown.
/// Refuses nothing in a scope that is being recorded.
[[nodiscard]] std::optional<Reply> check_session(const Services& services, RequestContext& context,
                                                 ThreadState& thread);
/// Applies hand-written responses (docs/mocking.md). Overlays respond, or change the reply of a later step. A request
/// and its parts use the overlays that were active when the request arrived.
[[nodiscard]] std::optional<Reply> answer_by_overlay(const Services& services, RequestContext& context,
                                                     ThreadState& thread);
/// Returns true for a request that goes to the end even if it is recorded: all requests of a scope that is being
/// recorded, and logins, logouts, and API.Encryption outside of scopes.
[[nodiscard]] bool is_for_device(const RequestContext& context);
/// Responds to logins and logouts of any API, and to the resumption of sessions (docs/replay.md, "Sessions"). Creates
/// and ends sessions. Replays the recorded response with the session's own values, or else generates one. Refuses a
/// login that was recorded only with a refusal. Computes the response to the handshake of a web login, and refuses a
/// handshake that it cannot answer (docs/replay.md, "The web login").
[[nodiscard]] std::optional<Reply> answer_login(const Services& services, RequestContext& context, ThreadState& thread);
/// Replays everything except logins and compounds that are handled part by part.
[[nodiscard]] std::optional<Reply> play_recording(const Services& services, RequestContext& context,
                                                  ThreadState& thread);
/// Responds to API.Info (docs/device-notes.md, "Discovery"): to queries for all APIs, for a list of names, and for
/// prefixes ("SVC.API."). Uses a recorded complete response, whose entries keep their bytes and order. Otherwise
/// composes one, unless there is an end. Leaves out unknown names, as devices do.
[[nodiscard]] std::optional<Reply> answer_info(const Services& services, RequestContext& context, ThreadState& thread);
/// Responds to API.Auth.UIConfig and API.Encryption with the keys of replay if they are not recorded.
[[nodiscard]] std::optional<Reply> answer_with_keys(const Services& services, const RequestContext& context,
                                                    ThreadState& thread);
/// Responds to each part of a compound request by answer() and combines the responses (docs/device-notes.md,
/// "Parameters"). The bytes of each part's data or error stay unchanged. The outcome is builtin, or miss if a part
/// missed. `has_fail` and `stop_when_error` work as on devices. If there is an end, passes a compound on as a whole
/// unless all its parts are recorded.
[[nodiscard]] std::optional<Reply> answer_parts(const Services& services, RequestContext& context, ThreadState& thread);
/// Responds to a write that has an effect and to which no earlier step responded.
[[nodiscard]] std::optional<Reply> answer_effect(const Services& services, const RequestContext& context,
                                                 ThreadState& thread);
/// Responds as the simulated device, if there is one.
[[nodiscard]] std::optional<Reply> answer_simulated(const Services& services, RequestContext& context);
/// Responds to the operations of section 2 of the specification (api::operation_specs()) that are not recorded. The
/// responses always have the same bytes, compact and sorted as on devices, with any first label. All data is invented,
/// and addresses are from documentation ranges. Passes on calls that the device would refuse because a recorded
/// API.Info lacks the API or its version.
[[nodiscard]] std::optional<Reply> answer_fallback(const Services& services, const RequestContext& context,
                                                   ThreadState& thread);
/// Keeps calls of a session that is ahead of the device, and calls that a replayed scope does not contain, from the
/// device. Both are misses, with X-Tapedeck-Blocked: state or scope.
[[nodiscard]] std::optional<Reply> answer_blocked(const Services& services, const RequestContext& context,
                                                  ThreadState& thread);
/// Always replies: with a built-in error if the device would certainly return it, and otherwise with a miss, which
/// reports its reason, the nearest recordings, and a remedy.
[[nodiscard]] std::optional<Reply> answer_miss(const Services& services, RequestContext& context, ThreadState& thread);

/// Creates a session if the replayed response contains the ID of a new one (Playable::begins_session).
void begin_played_session(const Services& services, RequestContext& context, Reply& reply, bool has_handshake);

// Changes to the reply of a later step.

/// Finds the effects that concern the request (docs/mocking.md) and stores them in the context.
void look_for_effects(const Services& services, RequestContext& context, ThreadState& thread);
/// Applies the changes of earlier writes.
void change_by_effects(const Services& services, const RequestContext& context, Reply& reply);
/// Applies overlays.
void change_by_overlay(const Services& services, RequestContext& context, const ThreadState& thread, Reply& reply);
/// Stores the changes of a write with an effect if the reply, as the client gets it, is a success.
void follow_write(const Services& services, const RequestContext& context, const Reply& reply);
/// Marks a session that received a replayed response to a write or a replayed task ID, because the device at the end
/// has neither (docs/recording.md, "Complete a recording").
void mark_session_ahead(const RequestContext& context, const Reply& reply);
/// Keeps redirects and cookies below "/~scope/NAME/", if the request was (docs/testing.md, "Scopes").
void keep_under_scope(const RequestContext& context, Reply& reply);
/// Puts the server's address in place of the recorded device's in the body of a recorded text.
void name_server(const Services& services, const RequestContext& context, Reply& reply);
/// Returns the request with the recorded device's address in place of the server's in its target and its text body, or
/// null if it cannot contain the server's.
[[nodiscard]] std::shared_ptr<http::Request> with_device(const http::Request& request, std::string_view device,
                                                         bool secure);
/// Delays every response that no overlay has delayed (--delay).
void delay_reply(const Services& services, const RequestContext& context, const ThreadState& thread, Reply& reply);

// What replay remembers of a response of the end. Null if there is nothing to remember. The functions own everything
// that they use, because the response may come after the request is gone.

using ResponseNote = std::function<void(const http::Response& response)>;
/// Assigns IDs that the device returns to a login in a recorded scope to that scope.
[[nodiscard]] ResponseNote note_of_login(const Services& services, const RequestContext& context);
/// Notes successful calls for `after`.
[[nodiscard]] ResponseNote note_of_overlays(const Services& services, const RequestContext& context);

// The following functions are used by several steps.

/// Sets the thread's overlays and effects to those that are active when the request arrives. Parts of a compound use
/// the same ones.
void look_at_store(const RequestContext& context, const OverlayStore& store, ThreadState& thread);
/// Returns the owner of the request's counters. In a scope this is its run; otherwise it is the account, or the session
/// ID if it never logged in.
[[nodiscard]] std::string overlay_owner(const RequestContext& context);
/// Returns the values of marks. `count` is the number of the response or write.
[[nodiscard]] MarkValues mark_values(const Session& session, std::uint64_t count);
/// Replays the request, treating a HEAD as a GET first. Stores in the context why nothing was replayed.
[[nodiscard]] std::optional<Reply> play(const Player& player, RequestContext& context, ThreadState& thread);
/// Reports a miss and returns the reply.
[[nodiscard]] Reply missed(const Services& services, const RequestContext& context, const MissReport& report,
                           int status);
/// Returns the shapes of the values in the first successful login that a cassette has.
[[nodiscard]] MintShapes recorded_shapes(const ThreadState& thread);

}  // namespace tapedeck::replay
