#pragma once
// Whose request it is, and sessions that are refused (docs/replay.md, "Sessions").

#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/recorded/played_scopes.h"
#include "replay/recorded/player.h"
#include "replay/sessions/scopes.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// First of the chain: gives every request its scope's run and its session, and answers calls whose session is refused.
/// In a scope that is recorded it refuses nothing.
/// Under "/~scope/NAME/" it keeps what sends the client on, and its cookies, there (docs/testing.md, "Scopes").
class SessionCheck : public Responder {
 public:
  /// `shapes` are those of the values that an adopted session gets. `played` says which scopes are recorded where the
  /// chain has an end. Everything must outlive it.
  SessionCheck(const ReplayOptions& options, Scopes& scopes, const PlayedScopes& played, DeviceKnowledge& knowledge,
               const Player& player, const MintShapes& shapes)
      : options_(options), scopes_(scopes), played_(played), knowledge_(knowledge), player_(player), shapes_(shapes) {}

  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;

 private:
  void enter_scope(RequestContext& context, ThreadState& thread, std::string_view id);
  /// Null for an id that nobody knows, unless it may be adopted.
  [[nodiscard]] std::shared_ptr<const Session> session_of(const RequestContext& context, std::string_view id);
  /// Ids that the device gives in a scope belong to it.
  void note_ids(const RequestContext& context, const Reply& reply);
  /// The code with which the call is refused, if it is.
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
