#pragma once
// The stages of a replay chain (docs/replay.md, "Outcomes"; docs/architecture.md). Each function returns one link. The
// links are thread-safe.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal_key.h"
#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/overlays/overlay_store.h"
#include "replay/recorded/match.h"
#include "replay/recorded/player.h"
#include "replay/sessions/scopes.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// The explanation of a miss, for the client and the log. Contains no values of the client, only names of parameters
/// and scrubbed recorded keys.
struct MissReport {
  struct Nearest {
    std::string key;
    Comparison comparison;
  };
  api::ErrorCode code = api::ErrorCode::unknown;
  std::string key;               ///< "SVC.Core.Share/1/list", or "GET of a path that is not an API call"
  std::string params;            ///< names of the request's parameters: " (additional, limit)"
  std::string reason;            ///< a short text for the header X-Tapedeck-Miss
  std::vector<Nearest> nearest;  ///< at most three, nearest first
  std::string hint;              ///< how to make the request match
  /// For a write: an overlay block with an effect that would respond to it; otherwise empty.
  std::string effect;
  bool is_ambiguous = false;            ///< true if more than one recording matches
  std::vector<std::string> recordings;  ///< IDs of possible recordings, if `nearest` does not name them

  /// Returns the value of `error.errors`: {"tapedeck": {…}}.
  [[nodiscard]] std::string errors_json() const;
  /// Returns one line for the log.
  [[nodiscard]] std::string line() const;
};

/// The parts of a replay server that its stages share. They outlive the links.
struct StageServices {
  const ReplayOptions& options;
  Scopes& scopes;
  const PlayedScopes& played_scopes;  ///< determines which scopes are recorded if the chain has an end
  OverlayStore& overlays;
  DeviceKnowledge& knowledge;
  const Player& player;
  const MintShapes& shapes;  ///< shapes of the values of sessions without a recorded login
  const journal::JournalKeys& keys;
  const Chain& part_chain;  ///< the chain for parts of compounds
  /// Called for each miss, from any loop thread.
  std::function<void(const RequestContext& context, const MissReport& report)> seen_miss;
  /// Called from any loop thread. Reports each distinct line once.
  std::function<void(const std::string& line)> warn;
};

/// Assigns each request its scope's run and its session, and responds to calls whose session is refused. Refuses
/// nothing in a scope that is being recorded. Under "/~scope/NAME/", also keeps redirects and cookies below that path
/// (docs/testing.md, "Scopes").
[[nodiscard]] Link session_link(const StageServices& parts);
/// Delays every response that no overlay has delayed (--delay). Comes before all other links.
[[nodiscard]] Link delay_link(Delay delay);

/// Applies hand-written responses (docs/mocking.md). Overlays respond, or change responses of later stages. A request
/// and its parts use the overlays that were active when the request arrived.
[[nodiscard]] Link overlay_link(const StageServices& parts);

/// Finds the effects that concern a request (docs/mocking.md), and stores the changes of a call if its response is a
/// success. Is above the overlays, so it receives the reply that the client gets.
[[nodiscard]] Link write_link(const StageServices& parts);
/// Applies the changes of earlier writes to a reply. Is below the overlays, so overlays change its result.
[[nodiscard]] Link change_link(const StageServices& parts);
/// Responds to a write that has an effect and to which no earlier stage responded.
[[nodiscard]] Link effect_link(const StageServices& parts);

/// Responds to logins and logouts (docs/replay.md, "Sessions"). Creates and ends sessions. Replays the recorded login
/// or logout with the session's own values, or else generates a response. Refuses a login that was recorded only with a
/// refusal.
[[nodiscard]] Link login_link(const StageServices& parts);
/// Replays everything except logins, which have their own stage, and compounds that are handled part by part.
[[nodiscard]] Link player_link(const StageServices& parts);

/// Responds to API.Info (docs/device-notes.md, "Discovery"): to queries for all APIs, for a list of names, and for
/// prefixes ("SVC.API."). Uses a recorded complete response, whose entries keep their bytes and order. Otherwise
/// composes one, unless the chain has an end. Leaves out unknown names, as devices do.
[[nodiscard]] Link info_link(const StageServices& parts);
/// Responds to each part of a compound request through the parts' chain and combines the responses
/// (docs/device-notes.md, "Parameters"). The bytes of each part's data or error stay unchanged. The outcome is builtin,
/// or miss if a part missed. `has_fail` and `stop_when_error` work as on devices. If the chain has an end, passes a
/// compound on as a whole unless all its parts are recorded.
[[nodiscard]] Link compound_link(const StageServices& parts);
/// Returns one link for each operation of section 2 of the specification (api::operation_specs()), which responds if it
/// is not recorded. The responses always have the same bytes, compact and sorted as on devices, with any first label.
/// All data is invented, and addresses are from documentation ranges. Passes on calls that the device would refuse
/// because a recorded API.Info lacks the API or its version.
[[nodiscard]] std::vector<Link> fallback_links(const StageServices& parts);
/// Always replies: with a built-in error if the device would certainly return it, and otherwise with a miss, which
/// reports its reason, the nearest recordings, and a remedy.
[[nodiscard]] Link miss_link(const StageServices& parts);

/// Marks a session that received a replayed response to a write or a replayed task ID, because the device at the
/// chain's end has neither (docs/recording.md, "Complete a recording"). Is above the player.
[[nodiscard]] Link ahead_link();
/// Sends requests to the chain's end even if they are recorded: all requests of a scope that is being recorded, and
/// logins, logouts, and API.Encryption outside of scopes.
[[nodiscard]] Link device_link();
/// Keeps calls of a marked session, and calls that a replayed scope does not contain, from the device. Both are misses,
/// with X-Tapedeck-Blocked: state or scope. Comes last before the chain's end.
[[nodiscard]] Link guard_link(const StageServices& parts);

// The following functions are used by several stages.

/// Returns a function of a link that passes `parts` to `function` before its own arguments.
template <class Function>
[[nodiscard]] auto bound(const StageServices& parts, Function function) {
  return [&parts, function](auto&... arguments) { return function(parts, arguments...); };
}

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
[[nodiscard]] Reply missed(const StageServices& parts, const RequestContext& context, const MissReport& report,
                           int status);
/// Returns the shapes of the values in the first successful login that a cassette has.
[[nodiscard]] MintShapes recorded_shapes(const ThreadState& thread);

}  // namespace tapedeck::replay
