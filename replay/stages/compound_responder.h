#pragma once
// Compound requests that were not recorded as such (docs/device-notes.md, "Parameters").

#include "replay/chain/chain.h"

namespace tapedeck::replay {

/// Answers a compound request part by part, each from whatever can answer it, and puts the answers together: bytes of
/// each part's data or error as they are. Its outcome is builtin, or miss when a part missed; `has_fail` and
/// `stop_when_error` as devices do.
class CompoundResponder : public Responder {
 public:
  /// `parts` is the parts' chain. `only_recorded`: a compound is passed on whole unless all its parts are recorded.
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
