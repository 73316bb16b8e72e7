#pragma once
// The last stage of the chain: reports the reason of a miss, the nearest recordings, and a remedy (docs/replay.md,
// "Outcomes").

#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"
#include "replay/stages/device_knowledge.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Always replies: with a built-in error if the device would certainly return it, and otherwise with a miss.
class MissResponder : public Responder {
 public:
  MissResponder(const ReplayOptions& options, DeviceKnowledge& knowledge, SeenMiss seen)
      : options_(options), knowledge_(knowledge), seen_(std::move(seen)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] MissReport report(RequestContext& context, ThreadState& thread, const ExpectedError& expected);
  /// Adds the effect that would respond to the write.
  void suggest_effect(const RequestContext& context, ThreadState& thread, MissReport& report) const;

  const ReplayOptions& options_;
  DeviceKnowledge& knowledge_;
  SeenMiss seen_;
};

}  // namespace tapedeck::replay
