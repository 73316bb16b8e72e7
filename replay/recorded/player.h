#pragma once
// Recorded answers (design §5, semantics §1–§4).

#include <memory>
#include <optional>

#include "replay/chain.h"
#include "replay/replay_options.h"
#include "replay/sessions/session_table.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

/// Answers from the decks in their order: exact keys of all decks before redacted places, and those before looser
/// rules. A login plays when the login stage asks for it: a success if there is one, else what was recorded.
class Player : public Responder {
 public:
  Player(const ReplayOptions& options, SessionTable& sessions) : options_(options), sessions_(sessions) {}

  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  /// As the login with that ordinal would get it. Has no cursor.
  [[nodiscard]] static std::optional<Reply> login(Visit& visit, ThreadState& thread, std::uint32_t ordinal);
  [[nodiscard]] std::optional<Reply> play_any(Visit& visit, ThreadState& thread);
  [[nodiscard]] std::optional<Reply> play(Visit& visit, Deck& deck, Found& found);
  [[nodiscard]] std::optional<Reply> play_conditional(Visit& visit, Deck& deck, Found& conditional, Found& plain);
  [[nodiscard]] std::optional<Reply> play_plain(Visit& visit, Deck& deck, Found& found);
  [[nodiscard]] std::optional<Reply> play_from(Visit& visit, Deck& deck, DeckSequence& sequence,
                                               const std::string& match);
  /// Whose turn it is: in which sequence, then at which position of it; nothing at its end under AtEnd::miss.
  [[nodiscard]] DeckSequence& sequence_for(const Visit& visit, Deck& deck, Found& found) const;
  [[nodiscard]] std::optional<std::uint32_t> position_in(const Visit& visit, Deck& deck, DeckSequence& sequence) const;
  [[nodiscard]] CursorScope& scope_of(const Visit& visit, const cassettes::SequenceInfo& sequence) const;
  void wrote(const Visit& visit, const LaneRef& lane, std::uint32_t writes) const;

  const ReplayOptions& options_;
  SessionTable& sessions_;
};

}  // namespace tapedeck::replay
