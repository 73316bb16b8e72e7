#pragma once
// Compound requests that were not recorded as such (field notes, "Parameters").

#include "replay/chain.h"

namespace tapedeck::replay {

/// Answers a compound request part by part, each from whatever can answer it, and puts the answers together: bytes of
/// each part's data or error as they are. Its outcome is builtin, or miss when a part missed; `has_fail` and
/// `stop_when_error` as devices do.
class CompoundResponder : public Responder {
 public:
  /// `parts` is the parts' chain.
  explicit CompoundResponder(const Chain& parts) : parts_(parts) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  const Chain& parts_;
};

}  // namespace tapedeck::replay
