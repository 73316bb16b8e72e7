#pragma once
// What is kept of each answer: it is counted, and has its line in the journal.

#include <functional>
#include <string>
#include <utility>

#include "journal/journal.h"
#include "journal/journal_key.h"
#include "replay/chain/chain.h"
#include "replay/chain/replay_options.h"

namespace tapedeck::replay {

/// The scope and run of a context as people may see it: without its session's id, which clients may well give as a
/// name, and without what was redacted in the recorded name. Empty outside of scopes.
[[nodiscard]] std::string scope_text(const RequestContext& context);

/// Thread-safe. The answer to a part of a compound has a count and a line of its own, before those of the whole.
class Ledger : public Observer {
 public:
  /// Is told of each answer that there is a notice for, but of misses, which say more than an answer does.
  using Tell = std::function<void(Notice notice)>;
  /// Without a journal it counts alone. `rules` say what is scrubbed from keys.
  Ledger(journal::Journal* journal, const scrubbers::RuleSet& rules, Tell tell)
      : journal_(journal), keys_(rules), tell_(std::move(tell)) {}
  void observe(RequestContext& context, const Reply& reply, ThreadState& thread) override;
  [[nodiscard]] const journal::JournalKeys& keys() const { return keys_; }

 private:
  void add(RequestContext& context, const Reply& reply) const;
  void look_at_played(RequestContext& context, const Reply& reply, ThreadState& thread);
  void look_at_derived(RequestContext& context, const Reply& reply, ThreadState& thread);
  void look_at_builtin(RequestContext& context, const Reply& reply, ThreadState& thread);
  void look_at_scope(RequestContext& context, const Reply& reply, ThreadState& thread);
  [[nodiscard]] std::string key_text(RequestContext& context, const Reply& reply) const;

  journal::Journal* journal_;
  const journal::JournalKeys keys_;
  const Tell tell_;
};

}  // namespace tapedeck::replay
