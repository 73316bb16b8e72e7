#pragma once
// Responds to API.Info (docs/device-notes.md, "Discovery").

#include "replay/chain/chain.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {

/// Responds to queries for all APIs, for a list of names, and for prefixes ("SVC.API."). Uses a recorded complete
/// response, whose entries keep their bytes and order, or else composes one. Leaves out unknown names, as devices do.
class InfoResponder : public Responder {
 public:
  /// With `recorded_only`, passes on requests whose response would be composed.
  explicit InfoResponder(DeviceKnowledge& knowledge, bool recorded_only = false)
      : knowledge_(knowledge), recorded_only_(recorded_only) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  DeviceKnowledge& knowledge_;
  const bool recorded_only_;
};

}  // namespace tapedeck::replay
