#pragma once
// Finds the recordings of the account that sent a request (docs/matching.md, "Accounts").

#include <functional>
#include <string_view>

#include "replay/recorded/play_request.h"
#include "replay/recorded/sequence_lookup.h"

namespace tapedeck::replay {

/// The recordings for the account of a request. `found` is valid until the next search.
struct AccountFind {
  LookupResult* found = nullptr;
  std::string_view note = {};  ///< for X-Tapedeck-Match; empty if the account is certain, or does not matter
  bool differs = false;        ///< true if there is a note, and accounts have different responses
  bool other_account = false;  ///< true if only other accounts have recorded the call
};

/// Finds recordings with the filter.
using FindWith = std::function<LookupResult&(const AccountFilter&)>;

/// Searches the recordings of the client's account. Requires that the cassette (or scope) has several accounts.
[[nodiscard]] AccountFind find_for_account(const Client& client, SessionTable& sessions, SequenceLookup& lookup,
                                           const std::shared_ptr<const RecordedScope>& scope, const FindWith& find);

/// Returns the tie of the client's account to the accounts of the cassette or scope; null without an account.
[[nodiscard]] std::shared_ptr<const AccountTie> tie_of(const Client& client, SessionTable& sessions,
                                                       SequenceLookup& lookup,
                                                       const std::shared_ptr<const RecordedScope>& scope);

/// Returns the account and lane of a take that the client is tied to.
[[nodiscard]] RecordedSessions::Place place_of(const Client& client, SessionTable& sessions, SequenceLookup& lookup,
                                               const LookupResult& found, std::uint32_t take);

}  // namespace tapedeck::replay
