#pragma once
// Single calls that were recorded only as parts of a compound.

#include "replay/chain.h"
#include "replay/recorded/deck.h"

namespace tapedeck::replay {

/// Answers a single call from the parts of recorded compounds.
class PartPlayer : public Responder {
 public:
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;

 private:
  [[nodiscard]] static std::optional<Reply> from_deck(Visit& visit, Deck& deck);
};

}  // namespace tapedeck::replay
