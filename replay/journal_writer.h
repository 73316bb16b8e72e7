#pragma once
// From an answer to its line in the journal.

#include <string>
#include <string_view>

#include "replay/journal.h"
#include "replay/journal_key.h"
#include "replay/reply.h"
#include "replay/session_table.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

/// Thread-safe.
class JournalWriter {
 public:
  JournalWriter(Journal& journal, const SessionTable& sessions);
  /// `verb` as the client sent it.
  void add(std::string_view verb, Asked& asked, const Reply& reply, const ThreadState& thread) const;

 private:
  [[nodiscard]] std::string session_name(const Asked& asked) const;
  [[nodiscard]] std::string key_text(Asked& asked, const Reply& reply, const ThreadState& thread) const;

  Journal& journal_;
  const SessionTable& sessions_;
  const JournalKeys keys_;
};

}  // namespace tapedeck::replay
