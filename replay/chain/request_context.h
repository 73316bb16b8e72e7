#pragma once
// Represents a request: the parsed request, its session, and the results of earlier steps.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/effects/effect_state.h"
#include "replay/overlays/overlay_set.h"
#include "replay/recorded/cassette_set.h"
#include "replay/recorded/play_request.h"
#include "replay/recorded/reply.h"
#include "replay/request/parsed_request.h"
#include "replay/sessions/poll_connections.h"
#include "replay/sessions/scopes.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

/// Use it on the thread that responds. The session step sets its session, and the key can be used after that.
class RequestContext {
 public:
  /// Creates the context of a request outside of scopes. The arguments must outlive it.
  RequestContext(const http::Request& request, const CassetteSet& cassettes, const api::KeyPolicy& policy,
                 RequestMemo& memo, ScopeRun& outside)
      : identity_(&cassettes.identity), parsed_(request, cassettes.base_paths, policy, memo), run_(&outside) {}
  /// Makes the context of a request with pseudonyms in place of private values; those of `originals` are restored in
  /// the session's responses.
  RequestContext(std::shared_ptr<const http::Request> exchanged, OriginalValues originals, const CassetteSet& cassettes,
                 const api::KeyPolicy& policy, RequestMemo& memo, ScopeRun& outside)
      : identity_(&cassettes.identity),
        exchanged_(std::move(exchanged)),
        originals_(std::move(originals)),
        parsed_(*exchanged_, cassettes.base_paths, policy, memo),
        run_(&outside) {}
  /// Creates the context of the part at `place` of the compound request `whole`, in the same session.
  RequestContext(const RequestContext& whole, api::Call part, std::uint32_t place);
  RequestContext(RequestContext&&) = default;

  [[nodiscard]] const ParsedRequest& parsed() const { return parsed_; }
  /// Returns the context of a HEAD request that was recorded as one.
  [[nodiscard]] RequestContext as_head() const;

  /// Moves it to a scope's run.
  void enter(std::shared_ptr<ScopeRun> run);
  /// Returns its run. Outside of scopes, returns one whose text is null.
  [[nodiscard]] ScopeRun& run() const { return *run_; }
  /// Returns its run as a shared pointer, or null outside of scopes.
  [[nodiscard]] const std::shared_ptr<ScopeRun>& scope_run() const { return scope_run_; }

  void set_session(std::shared_ptr<const Session> session);
  [[nodiscard]] const Session& session() const { return *session_; }
  /// Returns the key. Values of the session in the request, and IDs of other sessions, become labels of redactions.
  /// Valid as long as the context does not move.
  [[nodiscard]] const api::RequestKey& key();
  /// Puts labels in place of the secret of the session's login into the key. Returns false if it is not in the request.
  bool hide_login_secret();
  /// Returns the request for a player. It is valid as long as the context does not move or change.
  [[nodiscard]] PlayRequest play_request();

  /// The time when the request was complete and the search for its response began.
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  /// Set by the session step: the recorded scope of the request. Empty outside of scopes, and in a scope that no
  /// cassette has.
  ScopeSelection selection;
  /// Set by the session step: true if the scope is being recorded, so that the end handles all of it.
  bool scope_is_recorded = false;
  /// Set by the player: the reasons why nothing was replayed.
  NotPlayed not_played;
  /// The connection of a poll of socket.io whose handshake was replayed; null for other requests.
  std::shared_ptr<PollConnection> connection;
  /// Set by overlays and effects: true if a compound must be handled part by part, even if it is recorded.
  bool take_apart = false;
  /// The effects that concern the request; null: none.
  std::shared_ptr<RequestEffects> effects;
  /// The overlays that concern the request; null: none.
  std::shared_ptr<RequestOverlays> overlays;

 private:
  RequestContext(const RequestContext& other, ParsedRequest parsed);
  [[nodiscard]] bool is_free_of_ids() const;
  [[nodiscard]] std::vector<api::Hole> own_values() const;

  const api::IdentityHeaders* identity_;
  std::shared_ptr<const http::Request> exchanged_;  ///< null if the request is the client's
  OriginalValues originals_;
  ParsedRequest parsed_;
  ScopeRun* run_;
  std::shared_ptr<ScopeRun> scope_run_;
  std::shared_ptr<const Session> session_;
  std::optional<api::RequestKey> own_key_;
  bool is_key_remembered_ = false;
};

}  // namespace tapedeck::replay
