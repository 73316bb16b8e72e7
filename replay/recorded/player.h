#pragma once
// Recorded answers (design §5, semantics §1–§4).

#include <memory>
#include <optional>

#include "replay/replay_options.h"
#include "replay/reply.h"
#include "replay/sessions/session_table.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

/// Answers from the decks in their order: exact keys of all decks before redacted places, and those before looser
/// rules. Logins are played through login() alone, by the session responder.
class Player : public Responder {
 public:
  Player(const ReplayOptions& options, SessionTable& sessions) : options_(options), sessions_(sessions) {}

  [[nodiscard]] std::optional<Reply> answer(Asked& asked, ThreadState& thread) override;

  /// The recorded answer to a login as the session with that ordinal would get it: a success if there is one, else what
  /// was recorded. Null when nothing is. Has no cursor.
  [[nodiscard]] std::shared_ptr<const Playable> login(Asked& asked, ThreadState& thread, std::uint32_t ordinal);

  /// True when this very request was recorded with success from a client that had no session.
  [[nodiscard]] bool needs_no_session(Asked& asked, ThreadState& thread);

 private:
  [[nodiscard]] std::optional<Reply> play_any(Asked& asked, ThreadState& thread);
  [[nodiscard]] std::optional<Reply> play(Asked& asked, Deck& deck, const Found& found);
  [[nodiscard]] std::shared_ptr<const Playable> choose(Asked& asked, Deck& deck, const DeckSequence& sequence);
  [[nodiscard]] CursorScope& scope_of(const Asked& asked, const cassettes::SequenceInfo& sequence) const;
  void wrote(const Asked& asked, const LaneRef& lane, std::uint32_t segment) const;

  const ReplayOptions& options_;
  SessionTable& sessions_;
};

}  // namespace tapedeck::replay
