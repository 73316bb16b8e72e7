#pragma once
// Compound requests that were not recorded as such (field notes, "Parameters"), and single calls that were recorded
// only as parts of one.

#include <functional>

#include "replay/replay_options.h"
#include "replay/reply.h"
#include "replay/sessions/session_table.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

/// Answers a compound request part by part, each from whatever can answer it, and puts the answers together: bytes of
/// each part's data or error as they are. Its outcome is builtin, or miss when a part missed; `has_fail` and
/// `stop_when_error` as devices do.
class CompoundResponder : public Responder {
 public:
  /// `answer_part` is the chain behind this responder and the player, and always answers.
  using AnswerPart = std::function<Reply(Asked&, ThreadState&)>;
  explicit CompoundResponder(AnswerPart answer_part) : answer_part_(std::move(answer_part)) {}
  [[nodiscard]] std::optional<Reply> answer(Asked& asked, ThreadState& thread) override;

 private:
  AnswerPart answer_part_;
};

/// Answers a single call from the parts of recorded compounds.
class PartPlayer : public Responder {
 public:
  explicit PartPlayer(SessionTable& sessions) : sessions_(sessions) {}
  [[nodiscard]] std::optional<Reply> answer(Asked& asked, ThreadState& thread) override;

 private:
  [[nodiscard]] std::optional<Reply> from_deck(Asked& asked, Deck& deck);
  SessionTable& sessions_;
};

}  // namespace tapedeck::replay
