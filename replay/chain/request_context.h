#pragma once
// One request on its way along the chain (design §1): what it says, whose it is, and what stages found out about it.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/chain/reply.h"
#include "replay/effects/request_effects.h"
#include "replay/overlays/request_overlays.h"
#include "replay/recorded/play_request.h"
#include "replay/request/parsed_request.h"
#include "replay/sessions/scopes.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

struct AskedPart;

/// For the thread that answers. The session stage gives it its session; the key is asked for after that.
class RequestContext {
 public:
  /// Of a request as ParsedRequest reads it, outside of scopes until it enters one. What is given must outlive this.
  RequestContext(const http::Request& request, const std::vector<std::string>& base_paths, const api::KeyPolicy& policy,
                 RequestMemo& memo, ScopeRun& outside)
      : parsed_(request, base_paths, policy, memo), run_(&outside) {}
  /// Of a request whose private values were exchanged for their pseudonyms; those of `brought` are written back in the
  /// session's responses.
  RequestContext(std::shared_ptr<const http::Request> exchanged, BroughtValues brought,
                 const std::vector<std::string>& base_paths, const api::KeyPolicy& policy, RequestMemo& memo,
                 ScopeRun& outside)
      : exchanged_(std::move(exchanged)),
        brought_(std::move(brought)),
        parsed_(*exchanged_, base_paths, policy, memo),
        run_(&outside) {}
  /// Of the part at `place` of the compound request `whole`, in its session.
  RequestContext(const RequestContext& whole, api::Call part, std::uint32_t place);
  RequestContext(RequestContext&&) = default;

  [[nodiscard]] const ParsedRequest& parsed() const { return parsed_; }
  /// The same, for a HEAD that was recorded as one.
  [[nodiscard]] RequestContext as_head() const;

  /// From now on it is one of that run's.
  void enter(std::shared_ptr<ScopeRun> run);
  /// Where it is; outside of scopes, its text is null.
  [[nodiscard]] ScopeRun& run() const { return *run_; }
  /// The same, to be kept; null outside of scopes.
  [[nodiscard]] const std::shared_ptr<ScopeRun>& scope_run() const { return scope_run_; }

  void set_session(std::shared_ptr<const Session> session);
  [[nodiscard]] const Session& session() const { return *session_; }
  /// Values of the session in the request stand in it as the labels of the redactions that they would have become, and
  /// so do the ids of other sessions. Good as long as the context stays where it is.
  [[nodiscard]] const api::RequestKey& key();
  /// What a player is to play; good as long as the context stays where it is and does not change.
  [[nodiscard]] PlayRequest play_request();

  /// Takes down what is borrowed from the thread's memo: for a request that is answered after its handle().
  void keep();

  /// When the request was whole and its response began to be looked for.
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  /// By the session stage: the recorded scope that the request is in; none outside of scopes, and in one that no
  /// cassette has.
  ScopeSelection selection;
  /// By the session stage: its scope is recorded, and the chain's end answers all of it.
  bool scope_is_recorded = false;
  /// By the chain: all links have passed it on, and the chain's end has it.
  bool is_at_end = false;
  /// By the player: why nothing played.
  PlayNotes notes;
  /// By overlays and effects: a compound that is to be answered part by part, recorded or not.
  bool take_apart = false;
  /// What effects have to do with it; null for nothing.
  std::shared_ptr<RequestEffects> effects;
  /// What overlays have to do with it; null for nothing.
  std::shared_ptr<RequestOverlays> overlays;
  /// By overlays: of a compound that may go to the chain's end and of which they have to do with a part, all its parts.
  /// Null otherwise.
  std::shared_ptr<std::vector<AskedPart>> parts;

 private:
  RequestContext(const RequestContext& other, ParsedRequest parsed);
  [[nodiscard]] bool is_free_of_ids() const;
  [[nodiscard]] std::vector<api::Hole> own_values() const;

  std::shared_ptr<const http::Request> exchanged_;  ///< null: the request is the client's own
  BroughtValues brought_;
  ParsedRequest parsed_;
  ScopeRun* run_;
  std::shared_ptr<ScopeRun> scope_run_;
  std::shared_ptr<const Session> session_;
  std::optional<api::RequestKey> own_key_;
  bool is_key_remembered_ = false;
};

/// A part of a compound of which overlays were asked already.
struct AskedPart {
  RequestContext context;
  std::optional<Reply> reply;  ///< what overlays reply to it
};

}  // namespace tapedeck::replay
