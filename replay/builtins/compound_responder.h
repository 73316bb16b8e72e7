#pragma once
// Compound requests that were not recorded as such (field notes, "Parameters").

#include "replay/chain.h"
#include "replay/recorded/player.h"

namespace tapedeck::replay {

/// Answers a compound request part by part, each from whatever can answer it, and puts the answers together: bytes of
/// each part's data or error as they are. Its outcome is builtin, or miss when a part missed; `has_fail` and
/// `stop_when_error` as devices do.
class CompoundResponder : public Responder {
 public:
  /// `parts` is the parts' chain. With `player` a compound is passed on whole unless it has recordings of all parts.
  explicit CompoundResponder(const Chain& parts, const Player* player = nullptr) : parts_(parts), player_(player) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  [[nodiscard]] bool are_recorded(Visit& visit, const std::vector<api::Call>& calls, ThreadState& thread) const;

  const Chain& parts_;
  const Player* player_;
};

}  // namespace tapedeck::replay
