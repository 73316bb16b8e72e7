#pragma once
// From an answer to its line in the journal.

#include <string>
#include <string_view>

#include "journal/journal.h"
#include "journal/journal_key.h"
#include "replay/reply.h"
#include "replay/sessions/session_table.h"
#include "replay/thread_state.h"

namespace tapedeck::replay {

/// Thread-safe.
class JournalWriter {
 public:
  JournalWriter(journal::Journal& journal, const SessionTable& sessions);
  /// `verb` as the client sent it.
  void add(std::string_view verb, Asked& asked, const Reply& reply, const ThreadState& thread) const;

 private:
  [[nodiscard]] std::string session_name(const Asked& asked) const;
  [[nodiscard]] std::string key_text(Asked& asked, const Reply& reply, const ThreadState& thread) const;

  journal::Journal& journal_;
  const SessionTable& sessions_;
  const journal::JournalKeys keys_;
};

}  // namespace tapedeck::replay
