#pragma once
// The end of the chain: says that nothing could answer, why, what comes nearest, and what to do (docs/replay.md,
// "Outcomes").

#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/stages/device_knowledge.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Always answers: a code that the device itself would be certain of as a built-in answer, everything else as a miss.
class MissResponder : public Responder {
 public:
  MissResponder(const ReplayOptions& options, DeviceKnowledge& knowledge, SeenMiss seen)
      : options_(options), knowledge_(knowledge), seen_(std::move(seen)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] MissReport report(RequestContext& context, ThreadState& thread, const Judgement& judgement);
  /// Names the effect that would answer the write.
  void suggest_effect(const RequestContext& context, ThreadState& thread, MissReport& report) const;

  const ReplayOptions& options_;
  DeviceKnowledge& knowledge_;
  SeenMiss seen_;
};

}  // namespace tapedeck::replay
