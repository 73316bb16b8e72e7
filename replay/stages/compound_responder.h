#pragma once
// Responds to compound requests that were not recorded as a whole (docs/device-notes.md, "Parameters").

#include "replay/chain/chain.h"

namespace tapedeck::replay {

/// Responds to each part through the parts' chain and combines the responses. The bytes of each part's data or error
/// stay unchanged. The outcome is builtin, or miss if a part missed. `has_fail` and `stop_when_error` work as on
/// devices.
class CompoundResponder : public Responder {
 public:
  /// `parts` is the chain for parts. With `only_recorded`, passes a compound on as a whole unless all its parts are
  /// recorded.
  explicit CompoundResponder(const Chain& parts, bool only_recorded = false)
      : parts_(parts), only_recorded_(only_recorded) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;

 private:
  [[nodiscard]] static bool are_recorded(RequestContext& context, const std::vector<api::Call>& calls,
                                         ThreadState& thread);

  const Chain& parts_;
  const bool only_recorded_;
};

}  // namespace tapedeck::replay
