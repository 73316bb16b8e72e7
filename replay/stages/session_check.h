#pragma once
// Finds the session of each request and refuses requests of invalid sessions (docs/replay.md, "Sessions").

#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/recorded/played_scopes.h"
#include "replay/recorded/player.h"
#include "replay/sessions/scopes.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// The first stage. Assigns each request its scope's run and its session, and responds to calls whose session is
/// refused. Refuses nothing in a scope that is being recorded. Under "/~scope/NAME/", also keeps redirects and cookies
/// below that path (docs/testing.md, "Scopes").
class SessionCheck : public Responder {
 public:
  /// `shapes` are the shapes of the values of adopted sessions. `played` determines which scopes are recorded if the
  /// chain has an end. All references must outlive the object.
  SessionCheck(const ReplayOptions& options, Scopes& scopes, const PlayedScopes& played, DeviceKnowledge& knowledge,
               const Player& player, const MintShapes& shapes)
      : options_(options), scopes_(scopes), played_(played), knowledge_(knowledge), player_(player), shapes_(shapes) {}

  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;

 private:
  void enter_scope(RequestContext& context, ThreadState& thread, std::string_view id);
  /// Returns null for an unknown ID that must not be adopted.
  [[nodiscard]] std::shared_ptr<const Session> session_of(const RequestContext& context, std::string_view id);
  /// Assigns IDs that the device returns in a scope to that scope.
  void note_ids(const RequestContext& context, const Reply& reply);
  /// Returns the error code if the call is refused.
  [[nodiscard]] std::optional<api::ErrorCode> refusal(RequestContext& context, ThreadState& thread, bool has_id,
                                                      bool is_known);

  const ReplayOptions& options_;
  Scopes& scopes_;
  const PlayedScopes& played_;
  DeviceKnowledge& knowledge_;
  const Player& player_;
  const MintShapes& shapes_;
};

}  // namespace tapedeck::replay
