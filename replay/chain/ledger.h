#pragma once
// Counts each response and writes it to the journal.

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "journal/journal.h"
#include "journal/journal_key.h"
#include "replay/chain/replay_options.h"
#include "replay/chain/request_context.h"
#include "replay/recorded/reply.h"

namespace tapedeck::replay {

struct ThreadState;

/// Returns the scope and run of a context for display, without the session's ID, which clients may use as a name, and
/// without redacted parts of the recorded name. Empty outside of scopes.
[[nodiscard]] std::string scope_text(const RequestContext& context);

/// Thread-safe. The response to a part of a compound has its own count and its own entry, before those of the whole.
class Ledger {
 public:
  /// Receives a notice for each response that has one. Misses are reported in another way, with more details.
  using Tell = std::function<void(Notice notice)>;
  /// Without a journal, responses are only counted. `rules` scrub keys.
  Ledger(journal::Journal* journal, const scrubbers::RuleSet& rules, Tell tell)
      : journal_(journal), keys_(rules), tell_(std::move(tell)) {}
  /// The entry of a WebSocket is added when it has ended.
  void observe(RequestContext& context, Reply& reply, ThreadState& thread);
  [[nodiscard]] const journal::JournalKeys& keys() const { return keys_; }

 private:
  void add(RequestContext& context, Reply& reply) const;
  void tell(Notice::Kind kind, RequestContext& context, const Reply& reply, std::string_view more = {}) const;
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
