#pragma once
// What is kept of each answer: it is counted, and has its line in the journal.

#include <functional>
#include <string>
#include <utility>

#include "journal/journal.h"
#include "journal/journal_key.h"
#include "replay/chain.h"
#include "replay/replay_options.h"

namespace tapedeck::replay {

/// The scope and run of a visit as people may see it: without its session's id, which clients may well give as a name,
/// and without what was redacted in the recorded name. Empty outside of scopes.
[[nodiscard]] std::string scope_text(const Visit& visit);

/// Thread-safe. The answer to a part of a compound has a count and a line of its own, before those of the whole.
class Ledger : public Witness {
 public:
  /// Is told of each answer that there is a notice for, but of misses, which say more than an answer does.
  using Tell = std::function<void(Notice notice)>;
  /// Without a journal it counts alone. `rules` say what is scrubbed from keys.
  Ledger(journal::Journal* journal, const scrubbers::RuleSet& rules, Tell tell)
      : journal_(journal), keys_(rules), tell_(std::move(tell)) {}
  void saw(Visit& visit, const Reply& reply, ThreadState& thread) override;
  [[nodiscard]] const journal::JournalKeys& keys() const { return keys_; }

 private:
  void add(Visit& visit, const Reply& reply) const;
  void look_at_played(Visit& visit, const Reply& reply, ThreadState& thread);
  void look_at_derived(Visit& visit, const Reply& reply, ThreadState& thread);
  void look_at_builtin(Visit& visit, const Reply& reply, ThreadState& thread);
  void look_at_scope(Visit& visit, const Reply& reply, ThreadState& thread);
  [[nodiscard]] std::string key_text(Visit& visit, const Reply& reply) const;

  journal::Journal* journal_;
  const journal::JournalKeys keys_;
  const Tell tell_;
};

}  // namespace tapedeck::replay
