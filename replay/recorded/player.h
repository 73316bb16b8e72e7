#pragma once
// Recorded answers (design §5, semantics §1–§4).

#include <memory>
#include <optional>
#include <string>

#include "replay/chain.h"
#include "replay/recorded/turns.h"
#include "replay/replay_options.h"
#include "replay/sessions/session_table.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

class Contents;

/// Answers from the decks in their order: exact keys of all decks, then parts of compounds, redacted places, looser
/// rules. What a key finds is Deck::find, whose turn it is Turns, and what is sent Playable. A login plays when the
/// login stage asks for it: a success if there is one, else what was recorded; in a recorded scope what comes in turn.
class Player : public Responder {
 public:
  Player(const ReplayOptions& options, SessionTable& sessions) : options_(options), turns_(options, sessions) {}

  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;
  /// Has any cassette an answer to it? Moves no cursor.
  [[nodiscard]] static bool has(Visit& visit, ThreadState& thread);

 private:
  /// As that login would get it. Has a cursor in a recorded scope alone.
  [[nodiscard]] static std::optional<Reply> login(Visit& visit, ThreadState& thread, const LoginTurn& turn);
  [[nodiscard]] static std::optional<Reply> recorded_login(Visit& visit, Deck& deck, const Found& found,
                                                           const LoginTurn& turn);
  /// What the visit's request finds: exactly, then with the values that its client has bound, then in any other way.
  [[nodiscard]] static Found& find(Visit& visit, Deck& deck, const Contents* contents,
                                   const std::shared_ptr<const TapeScope>& scope);
  [[nodiscard]] static Found* find_bound(Visit& visit, Deck& deck, const std::shared_ptr<const TapeScope>& scope);
  [[nodiscard]] std::optional<Reply> refusal(Visit& visit, ThreadState& thread);
  [[nodiscard]] std::optional<Reply> play_any(Visit& visit, ThreadState& thread);
  [[nodiscard]] std::optional<Reply> play_unscoped(Visit& visit, ThreadState& thread);
  [[nodiscard]] std::optional<Reply> play(Visit& visit, Deck& deck, Found& found);
  [[nodiscard]] std::optional<Reply> play_plain(Visit& visit, Deck& deck, Found& found);
  [[nodiscard]] std::optional<Reply> play_conditional(Visit& visit, Deck& deck, Found& plain,
                                                      const std::string& conditions);
  /// From recorded parts that together are the whole body.
  [[nodiscard]] static std::optional<Reply> play_ranges(Visit& visit, Deck& deck, const Found& plain);
  [[nodiscard]] std::optional<Reply> play_from(Visit& visit, Deck& deck, const Found& found, DeckSequence& sequence);

  const ReplayOptions& options_;
  Turns turns_;
};

}  // namespace tapedeck::replay
