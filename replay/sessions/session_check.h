#pragma once
// Whose request it is, and sessions that are refused (semantics §2, "Sessions"; §5).

#include "replay/builtins/device_knowledge.h"
#include "replay/chain.h"
#include "replay/replay_options.h"
#include "replay/sessions/session_table.h"

namespace tapedeck::replay {

/// First of the chain: gives every request its session, and answers calls whose session is refused.
class SessionCheck : public Responder {
 public:
  /// `shapes` are those of the values that an adopted session gets.
  SessionCheck(const ReplayOptions& options, SessionTable& sessions, DeviceKnowledge& knowledge,
               const MintShapes& shapes)
      : options_(options), sessions_(sessions), knowledge_(knowledge), shapes_(shapes) {}

  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  /// The code with which the call is refused, if it is.
  [[nodiscard]] std::optional<api::ErrorCode> refusal(Visit& visit, ThreadState& thread, bool has_id, bool is_known);

  const ReplayOptions& options_;
  SessionTable& sessions_;
  DeviceKnowledge& knowledge_;
  const MintShapes& shapes_;
};

}  // namespace tapedeck::replay
