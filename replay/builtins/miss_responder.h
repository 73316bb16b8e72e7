#pragma once
// The end of the chain: says that nothing could answer, why, what comes nearest, and what to do (semantics §5).

#include <functional>

#include "replay/builtins/device_knowledge.h"
#include "replay/builtins/miss_report.h"
#include "replay/chain.h"
#include "replay/replay_options.h"

namespace tapedeck::replay {

/// Always answers: a code that the device itself would be certain of as a built-in answer, everything else as a miss.
class MissResponder : public Responder {
 public:
  /// `seen` is told of every miss.
  using Seen = std::function<void(const Visit&, const MissReport&)>;
  MissResponder(const ReplayOptions& options, DeviceKnowledge& knowledge, Seen seen)
      : options_(options), knowledge_(knowledge), seen_(std::move(seen)) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  [[nodiscard]] MissReport report(Visit& visit, ThreadState& thread, const Judgement& judgement);
  /// Names the effect that would answer the write.
  void suggest_effect(const Visit& visit, ThreadState& thread, MissReport& report) const;

  const ReplayOptions& options_;
  DeviceKnowledge& knowledge_;
  Seen seen_;
};

}  // namespace tapedeck::replay
