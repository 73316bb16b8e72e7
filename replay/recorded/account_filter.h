#pragma once
// Selects recordings by their account.

#include <string>

#include "cassettes/read/cassette_reader.h"
#include "replay/sessions/account_ties.h"

namespace tapedeck::replay {

struct AccountFilter {
  enum class Kind {
    all,
    no_session,  ///< requests without a session
    foreign,     ///< sessions whose login is unknown
    no_account,  ///< both, but only successful requests without a session
    named,       ///< all accounts
    tied,        ///< the accounts in `tied`
  };
  Kind kind = Kind::all;
  RecordedAccounts::Tied tied = {};

  [[nodiscard]] bool keeps(const cassettes::SequenceInfo& sequence, const RecordedAccounts& accounts) const;
  /// Returns a text that no other filter has; empty for all recordings.
  [[nodiscard]] std::string text() const;
};

}  // namespace tapedeck::replay
