#pragma once
// API.Info (docs/device-notes.md, "Discovery").

#include "replay/chain/chain.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// Answers API.Info query for all, for a list of names, and for prefixes ("SVC.API."): from a recorded full answer,
/// entries byte for byte and in its order, or else composed. Names that nothing knows are left out, as devices do.
class InfoResponder : public Responder {
 public:
  /// `recorded_only`: what would be composed is passed on.
  explicit InfoResponder(DeviceKnowledge& knowledge, bool recorded_only = false)
      : knowledge_(knowledge), recorded_only_(recorded_only) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  DeviceKnowledge& knowledge_;
  const bool recorded_only_;
};

}  // namespace tapedeck::replay
