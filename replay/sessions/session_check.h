#pragma once
// Whose request it is, and sessions that are refused (semantics §2, "Sessions"; §5).

#include "replay/builtins/device_knowledge.h"
#include "replay/chain.h"
#include "replay/recorded/played_scopes.h"
#include "replay/replay_options.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

/// First of the chain: gives every request its scope's run and its session, and answers calls whose session is refused.
/// In a scope that is recorded it refuses nothing.
/// Under "/~scope/NAME/" it keeps what sends the client on, and its cookies, there (toolkit §1, "under /~scope/NAME/").
class SessionCheck : public Responder {
 public:
  /// `shapes` are those of the values that an adopted session gets. `played` says which scopes are recorded where the
  /// chain has an end. `chain` is the one that this is a link of.
  SessionCheck(const ReplayOptions& options, Scopes& scopes, const PlayedScopes& played, DeviceKnowledge& knowledge,
               const Chain& chain, const MintShapes& shapes)
      : options_(options), scopes_(scopes), played_(played), knowledge_(knowledge), chain_(chain), shapes_(shapes) {}

  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;
  void change(Visit& visit, ThreadState& thread, Reply& reply) override;

 private:
  void enter_scope(Visit& visit, ThreadState& thread, std::string_view id);
  /// Null for an id that nobody knows, unless it may be adopted.
  [[nodiscard]] std::shared_ptr<const Session> session_of(const Visit& visit, std::string_view id);
  /// Ids that the device gives in a scope belong to it.
  void note_ids(const Visit& visit, const Reply& reply);
  /// The code with which the call is refused, if it is.
  [[nodiscard]] std::optional<api::ErrorCode> refusal(Visit& visit, ThreadState& thread, bool has_id, bool is_known);
  /// In a recorded scope the recorded refusal, where one is next in turn.
  [[nodiscard]] std::optional<Reply> recorded_refusal(Visit& visit, ThreadState& thread);

  const ReplayOptions& options_;
  Scopes& scopes_;
  const PlayedScopes& played_;
  DeviceKnowledge& knowledge_;
  const Chain& chain_;
  const MintShapes& shapes_;
};

}  // namespace tapedeck::replay
