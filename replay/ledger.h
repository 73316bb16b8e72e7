#pragma once
// What is kept of each answer: it is counted, and has its line in the journal.

#include <string>

#include "journal/journal.h"
#include "journal/journal_key.h"
#include "replay/chain.h"

namespace tapedeck::replay {

/// Thread-safe. The answer to a part of a compound has a count and a line of its own, before those of the whole.
class Ledger : public Witness {
 public:
  /// Without a journal it counts alone. `rules` say what is scrubbed from keys.
  Ledger(journal::Journal* journal, const scrubbers::RuleSet& rules) : journal_(journal), keys_(rules) {}
  void saw(Visit& visit, const Reply& reply, ThreadState& thread) override;

 private:
  void add(Visit& visit, const Reply& reply) const;
  [[nodiscard]] std::string key_text(Visit& visit, const Reply& reply) const;

  journal::Journal* journal_;
  const journal::JournalKeys keys_;
};

}  // namespace tapedeck::replay
